extension SRTPContext {
    /// Returns an RTP packet encrypted.
    package func protected(_ packet: [UInt8]) throws(SRTPFailure) -> [UInt8] {
        try sealed(packet, room: suite.tagLength, protect)
    }

    /// Returns an RTCP packet encrypted.
    package func protectedRTCP(_ packet: [UInt8]) throws(SRTPFailure) -> [UInt8] {
        try sealed(packet, room: suite.rtcpOverhead, protectRTCP)
    }

    private func sealed(
        _ packet: [UInt8], room: Int, _ seal: (UnsafeMutableRawPointer, inout Int, Int) throws(SRTPFailure) -> Void
    ) throws(SRTPFailure) -> [UInt8] {
        var bytes = packet + [UInt8](repeating: 0, count: room)
        var length = packet.count
        try bytes.withUnsafeMutableBufferPointer { buffer throws(SRTPFailure) in
            guard let base = buffer.baseAddress else { throw SRTPFailure.malformed }
            try seal(UnsafeMutableRawPointer(base), &length, buffer.count)
        }
        bytes.removeLast(bytes.count - length)
        return bytes
    }
}
