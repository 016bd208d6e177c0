extension CodecError {
    /// Converts a state of the library (`DECODING_STATE`) to an error.
    static func openH264(_ state: UInt32, _ text: String) -> CodecError {
        .library("OpenH264", code: Int(state), text: text)
    }
}
