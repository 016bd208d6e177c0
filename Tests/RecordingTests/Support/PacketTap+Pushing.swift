import MediaEngine

extension PacketTap {
    /// Pushes packets and wakes the reader.
    func push(_ packets: some Sequence<TestStream.Packet>) {
        for packet in packets {
            packet.payload.withUnsafeBytes { payload in
                _ = push(
                    TapPacket(
                        kind: packet.kind, sequence: packet.sequence, timestamp: packet.timestamp,
                        marker: packet.marker, arrival: packet.arrival, captureNTP: packet.captureNTP, payload: payload)
                )
            }
        }
        flush()
    }
}
