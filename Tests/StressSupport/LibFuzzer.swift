#if PINVIEW_LIBFUZZER
    import Glibc

    @_silgen_name("LLVMFuzzerRunDriver")
    private func runDriver(
        _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
        _ examine: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
    ) -> CInt

    /// Runs libFuzzer with the options of the command line, until it ends the process (`make fuzz`).
    ///
    /// - Parameter examine: examines one input, and ends the process at a problem.
    public func runLibFuzzer(_ examine: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt) -> Never {
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        exit(runDriver(&count, &arguments, examine))
    }
#endif
