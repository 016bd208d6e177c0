/// Looks at each datagram before OpenSSL does, so that the memory and the time that a peer can take are bounded.
struct DatagramGate {
    /// A handshake takes less than ten datagrams; the rest is room for loss, and for much smaller datagrams.
    static let mostDatagrams = 512
    /// Records behind ChangeCipherSpec that come before it: OpenSSL keeps each with 16 KiB until the handshake has got there.
    private static let mostEarlyRecords = 16
    private static let longestDatagram = 16_384

    private var datagrams = 0
    private var earlyRecords = 0

    var hasRoom: Bool { datagrams < Self.mostDatagrams }

    /// What of a datagram is for a handshake; nil where nothing is.
    mutating func admit(_ datagram: UnsafeRawBufferPointer) -> [UInt8]? {
        let records = Self.records(datagram)
        guard !records.isEmpty else { return nil }
        datagrams += 1
        var admitted: [UInt8] = []
        // A retransmitted ChangeCipherSpec brings its Finished along: then those kept are not the only chance.
        var followsChange = false
        for record in records {
            if record.kind == .changeCipherSpec { followsChange = true }
            if record.epoch > 0, !followsChange {
                guard earlyRecords < Self.mostEarlyRecords else { continue }
                earlyRecords += 1
            }
            record.write(to: &admitted)
        }
        return admitted.isEmpty ? nil : admitted
    }

    /// What of a datagram is for an association that stands: nothing in the clear is.
    func admitConnected(_ datagram: UnsafeRawBufferPointer) -> [UInt8]? {
        var admitted: [UInt8] = []
        for record in Self.records(datagram, takesData: true) where record.epoch > 0 { record.write(to: &admitted) }
        return admitted.isEmpty ? nil : admitted
    }

    /// Application data is left out of a handshake. So are encrypted records without room for nonce and tag, which OpenSSL
    /// 3.0 takes for a fault of its own, telling the peer with an alert: anybody could end an association so.
    private static func records(_ datagram: UnsafeRawBufferPointer, takesData: Bool = false) -> [DTLSRecord] {
        guard datagram.count <= longestDatagram else { return [] }
        return DTLSRecord.all(in: datagram).filter { record in
            switch record.kind {
            case .changeCipherSpec, .alert, .handshake:
                record.epoch == 0 || record.body.count > DTLSRecordSealer.overhead
            case .applicationData: takesData && record.body.count > DTLSRecordSealer.overhead
            default: false
            }
        }
    }
}
