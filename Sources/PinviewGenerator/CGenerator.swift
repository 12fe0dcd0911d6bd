import Pinview

/// Writes accessors for the entities of a model as a C header of inline functions.
///
/// Each attribute of an entity has a function that reads it and one that sets it, with the value as
/// a number or as a `pinview_value`; each to-one relationship, those for objects. The names of
/// entities and properties are in the header once each, so a misspelt one does not compile.
package struct CGenerator {
    private let source: String

    package init(source: String = "a model") { self.source = source }

    /// The header for all entities of a model.
    package func text(of model: ManagedObjectModel) -> String {
        var text = """
            /* Made from \(source) by pinview-generate. Changes are lost when it is made again. */
            #pragma once
            #include <pinview.h>


            """
        for entity in model.entities { text += self.text(of: entity) }
        return text
    }

    private func text(of entity: Entity) -> String {
        let type = Self.identifier(entity.name)
        var text = "/* \(entity.name) */\n\n"
        if !entity.isAbstract {
            text += function(
                "insert_\(type)", "pinview_context *context, pinview_object **out",
                "pinview_context_insert_new_object(context, pinview_text(\(Self.literal(entity.name))), out, error)")
        }
        for property in entity.properties {
            let name = "\(type)_\(Self.identifier(property.name))", key = "pinview_text(\(Self.literal(property.name)))"
            if property.isRelationship, property.isToMany {
                text += function(
                    name, "pinview_object *object, pinview_result **out", "pinview_object_related_objects(object, \(key), out, error)")
            } else if property.isRelationship {
                text += function(
                    name, "pinview_object *object, pinview_object **out", "pinview_object_related_object(object, \(key), out, error)")
                text += setter(name, key, "pinview_object *value", "value ? pinview_value_object(value) : pinview_value_null()")
            } else {
                text += function(name, "pinview_object *object, pinview_value *out", "pinview_object_value(object, \(key), out, error)")
                if property.derivationExpression == nil { text += setter(name, key, property.attributeType) }
            }
        }
        return text
    }

    private func function(_ name: String, _ parameters: String, _ call: String) -> String {
        "static inline pinview_status \(name)(\(parameters), pinview_error **error) {\n    return \(call);\n}\n\n"
    }

    private func setter(_ name: String, _ key: String, _ type: AttributeType) -> String {
        switch type {
        case .boolean: setter(name, key, "int32_t value", "pinview_value_boolean(value)")
        case .integer16, .integer32, .integer64: setter(name, key, "int64_t value", "pinview_value_integer(value)")
        case .double, .float: setter(name, key, "double value", "pinview_value_double(value)")
        case .date: setter(name, key, "double seconds", "pinview_value_date(seconds)")
        case .string, .uri: setter(name, key, "const char *text", "text ? pinview_value_text(text) : pinview_value_null()")
        case .decimal, .binaryData, .uuid, .transformable, .undefined, .composite: setter(name, key, "pinview_value value", "value")
        }
    }

    private func setter(_ name: String, _ key: String, _ parameter: String, _ value: String) -> String {
        """
        static inline pinview_status \("set_" + name)(pinview_object *object, \(parameter), pinview_error **error) {
            const pinview_value to = \(value);
            return pinview_object_set_value(object, \(key), &to, error);
        }


        """
    }

    /// A name as part of an identifier: `firstName` is `first_name`.
    static func identifier(_ name: String) -> String {
        var result = "", former: Character = "_"
        for character in name {
            if character == "." {
                result += "_"
                former = "_"
                continue
            }
            if character.isUppercase, former != "_", !former.isUppercase { result += "_" }
            result += character.lowercased()
            former = character
        }
        return result
    }

    private static func literal(_ text: String) -> String { "\"\(text)\"" }
}
