-- Pinview from LuaJIT, through its FFI. The declarations come from include/pinview.json: those of the functions used
-- here, and of the types that they need. usage: luajit people.lua pinview.json libpinview.so
local ffi = require("ffi")

-- A reader for JSON as far as the description needs it.
local function parse(text)
    local position = 1
    local value
    local function skip() position = text:find("[^%s]", position) or #text + 1 end
    local function take(pattern)
        local first, last, found = text:find("^" .. pattern, position)
        if first then position = last + 1 end
        return found
    end
    local escapes = {n = "\n", t = "\t", r = "\r", b = "\b", f = "\f"}
    local function string()
        local parts = {}
        position = position + 1
        while true do
            local plain = take('([^"\\]+)')
            if plain then parts[#parts + 1] = plain end
            if take('(")') then return table.concat(parts) end
            position = position + 1
            local escape = take("(.)")
            parts[#parts + 1] = escape == "u" and "?" .. (take("(%x%x%x%x)") and "" or "") or escapes[escape] or escape
        end
    end
    function value()
        skip()
        local first = text:sub(position, position)
        if first == '"' then return string() end
        if first == "{" or first == "[" then
            local made, close = {}, first == "{" and "}" or "%]"
            position = position + 1
            skip()
            while not take("(" .. close .. ")") do
                if first == "{" then
                    skip()
                    local key = string()
                    skip()
                    take("(:)")
                    made[key] = value()
                else
                    made[#made + 1] = value()
                end
                skip()
                take("(,)")
                skip()
            end
            return made
        end
        local word = take("(%w+)") or take("([%-%d%.eE+]+)")
        if word == "true" then return true elseif word == "false" then return false elseif word == "null" then return nil end
        return tonumber(word .. (take("([%d%.eE+%-]+)") or ""))
    end
    return value()
end

local file = assert(io.open(arg[1]))
local description = parse(file:read("*a"))
file:close()
local pinview = ffi.load(arg[2])

local function declared(kind, name)
    return (kind.const and "const " or "") .. kind.name .. string.rep(" *", kind.pointers) .. " " .. name
        .. (kind.length and "[" .. kind.length .. "]" or "")
end

local function signature(made, name)
    local parameters = {}
    for index, parameter in ipairs(made.parameters) do parameters[index] = declared(parameter.type, parameter.name) end
    return declared(made.result, name) .. "(" .. table.concat(parameters, ", ") .. ");"
end

local declarations = {}
for _, each in ipairs(description.types) do
    local line
    if each.kind == "alias" or each.kind == "enumeration" then
        line = "typedef " .. each.type .. " " .. each.name .. ";"
    elseif each.kind == "handle" or each.name:match("^pinview_") and each.kind ~= "callback" then
        line = "typedef " .. (each.kind == "union" and "union " or "struct ") .. each.name .. " " .. each.name .. ";"
    end
    declarations[#declarations + 1] = line
end
for _, each in ipairs(description.types) do
    if each.kind == "callback" then
        declarations[#declarations + 1] = "typedef " .. signature(each, "(*" .. each.name .. ")")
    elseif each.fields and each.name:match("^pinview_") then
        local fields = {}
        for index, field in ipairs(each.fields) do fields[index] = declared(field.type, field.name) .. ";" end
        declarations[#declarations + 1] = each.kind .. " " .. each.name .. " {" .. table.concat(fields, " ") .. "};"
    end
end
for _, each in ipairs(description.functions) do
    if each.name ~= "pinview_context_fetch_columns" then declarations[#declarations + 1] = signature(each, each.name) end
end
-- The structs of Arrow are taken as opaque.
ffi.cdef("typedef struct ArrowSchema ArrowSchema; typedef struct ArrowArray ArrowArray; typedef struct ArrowArrayStream ArrowArrayStream;\n"
    .. table.concat(declarations, "\n"))

-- Sizes and offsets are those of the description.
for _, each in ipairs(description.types) do
    if each.fields and each.name:match("^pinview_") then
        assert(ffi.sizeof(each.name) == each.size, each.name)
        for _, field in ipairs(each.fields) do assert(ffi.offsetof(each.name, field.name) == field.offset, each.name .. "." .. field.name) end
    end
end

local function check(status)
    if status ~= 0 then error(ffi.string(pinview.pinview_error_message(pinview.pinview_error_last()).data)) end
end

local model = [[{"entities": [{"name": "Person", "attributes": [
    {"name": "name", "type": "string"}, {"name": "age", "type": "integer64"}]}]}]]
local context, people, person = ffi.new("pinview_context *[1]"), ffi.new("pinview_result *[1]"), ffi.new("pinview_object *[1]")
check(pinview.pinview_open(model, nil, nil, 0, context, nil))
for name, age in pairs({Ada = 36, Bob = 12, Cleo = 20}) do
    local values = ffi.new("pinview_named_value[2]")
    values[0] = pinview.pinview_named("name", pinview.pinview_value_text(name))
    values[1] = pinview.pinview_named("age", pinview.pinview_value_integer(age))
    check(pinview.pinview_insert(context[0], "Person", values, 2, nil, nil))
end
check(pinview.pinview_context_save(context[0], nil))
local least, index = ffi.new("pinview_value[1]", {pinview.pinview_value_integer(18)}), ffi.new("uint64_t[1]")
check(pinview.pinview_fetch(context[0], "Person", "age >= %d", least, 1, "-age", people, nil))
while pinview.pinview_next(people[0], index, person, nil) == 1 do
    print(ffi.string(pinview.pinview_get_text(person[0], "name", "?", nil)), tonumber(pinview.pinview_get_integer(person[0], "age", 0, nil)))
end
pinview.pinview_result_release(people[0])
pinview.pinview_context_release(context[0])
