extension RTPHeader {
    /// Returns the packet that has this header and a payload, without CSRCs, extension and padding.
    package func packet(_ payload: UnsafeRawBufferPointer) -> [UInt8] {
        let start = headerLength
        return [UInt8](unsafeUninitializedCapacity: start + payload.count) { buffer, length in
            let packet = UnsafeMutableRawBufferPointer(buffer)
            length = write(into: packet) + payload.count
            packet[start..<length].copyBytes(from: payload)
        }
    }
}
