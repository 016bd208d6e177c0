/// Filters datagrams before OpenSSL handles them, so that the memory and time that a peer can use are bounded.
struct DatagramGate {
    /// Maximum number of datagrams of a handshake. A handshake needs fewer than ten; the rest allows for loss and for much smaller
    /// datagrams.
    static let mostDatagrams = 512
    /// Maximum number of records of the next epoch that arrive before ChangeCipherSpec. OpenSSL keeps each in 16 KiB until the handshake
    /// reaches them.
    private static let mostEarlyRecords = 16
    private static let longestDatagram = 16_384

    private var datagrams = 0
    private var earlyRecords = 0

    var hasRoom: Bool { datagrams < Self.mostDatagrams }

    /// Returns the part of a datagram that is passed to a handshake, or nil if there is none.
    mutating func admit(_ datagram: UnsafeRawBufferPointer) -> [UInt8]? {
        let records = Self.records(datagram)
        guard !records.isEmpty else { return nil }
        datagrams += 1
        var admitted: [UInt8] = []
        // A retransmitted ChangeCipherSpec is followed by its Finished message, so records kept earlier are not the only copy.
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

    /// Returns the records of a datagram that matter after the handshake: encrypted ones.
    static func encryptedRecords(_ datagram: UnsafeRawBufferPointer) -> [DTLSRecord] {
        records(datagram, takesData: true).filter { $0.epoch > 0 }
    }

    /// Returns the records of a datagram that may be passed to OpenSSL. Application data is dropped during a handshake. Encrypted records
    /// too short for nonce and tag are always dropped: OpenSSL 3.0 treats them as an internal error and sends the peer an alert, so anyone
    /// could end an association with them.
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
