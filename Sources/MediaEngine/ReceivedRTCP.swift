import RTP

/// Authentic RTCP datagram, and the transport whose keys authenticated it.
struct ReceivedRTCP {
    enum Sender {
        case publisher(PublishTransport)
        case subscriber(SubscribeTransport)
    }

    let sender: Sender
    let packets: RTCPCompound

    /// Parses a decrypted datagram.
    /// - Returns: nil if it is malformed, which is counted.
    init?(
        _ bytes: UnsafeMutableRawPointer, length: Int, from sender: Sender, _ counters: inout EngineCounters
    ) {
        do {
            packets = try RTCPCompound(parsing: UnsafeRawBufferPointer(start: bytes, count: length))
        } catch {
            counters.droppedMalformedRTCP &+= 1
            return nil
        }
        self.sender = sender
        counters.rtcpReceived &+= 1
    }
}
