extension [UInt8] {
    /// `withUnsafeBytes` with typed throws, which the standard library lacks.
    func withRawBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { bytes throws(Failure) in try body(UnsafeRawBufferPointer(bytes)) }
    }
}
