import COpenSSL

/// In-memory replacement for OpenSSL's socket: each read returns one received datagram, each write is one datagram to send.
///
/// Outgoing datagrams are split into records, which are reassembled under new sequence numbers, so that the last flight can be
/// retransmitted at any time (see ``DTLSRecordSealer``).
final class DatagramPipe {
    /// BIO whose calls this object handles; OpenSSL's connection owns one more reference to it.
    let bio: OpaquePointer
    private let role: DTLSConnection.Role
    private var incoming: UnsafeRawBufferPointer?
    private var outgoing: [[UInt8]] = []
    private var sealer: DTLSRecordSealer?
    /// Unencrypted records written since `withDatagram` began.
    private var written: [DTLSRecord] = []
    /// Last flight of handshake messages, unencrypted; kept until the peer shows that it has received them.
    private var flight: [DTLSRecord] = []
    /// Maximum length of a datagram in bytes.
    private let mtu: Int
    /// Next sequence numbers of epochs 0 and 1.
    private var sequences: [UInt64] = [0, 0]
    /// Connection that the write key is derived from.
    private var ssl: OpaquePointer?
    /// True if a record could not be encrypted, so that the association must end.
    private(set) var isBroken = false

    /// Maximum number of datagrams queued for `next()`. Beyond it the oldest are dropped.
    private static let longestQueue = 64

    init(role: DTLSConnection.Role, mtu: Int) throws(DTLSFailure) {
        guard let method = Self.method, let bio = BIO_new(method) else {
            throw .takeLibraryError("no memory for a BIO")
        }
        self.bio = bio
        self.role = role
        self.mtu = mtu
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        BIO_set_init(bio, 1)
    }

    deinit {
        BIO_set_data(bio, nil)
        BIO_free(bio)
    }

    /// Attaches this pipe to a connection, which the pipe does not own.
    func attach(to ssl: OpaquePointer) {
        self.ssl = ssl
        BIO_up_ref(bio)
        SSL_set_bio(ssl, bio, bio)
    }

    /// Lets go of the connection before it is freed; records are sealed with its keys from now on.
    /// - Returns: false if the keys could not be derived.
    func detach() -> Bool {
        if sealer == nil, let ssl { sealer = DTLSRecordSealer(ssl, role: role) }
        ssl = nil
        return sealer != nil
    }

    /// Sends the alert that ends an association (RFC 5246 section 7.2.1) without OpenSSL.
    func sendCloseNotify() {
        send([DTLSRecord(kind: .alert, version: Self.version, epoch: 1, sequence: 0, body: [1, 0])])
    }

    /// DTLS 1.2.
    private static let version: UInt16 = 0xfefd

    /// Runs `body`, which can read `datagram`, and then sends the records that it wrote. Handshake messages among them become the current
    /// flight.
    func withDatagram<R>(_ datagram: UnsafeRawBufferPointer?, _ body: () -> R) -> R {
        incoming = datagram
        written = []
        let result = body()
        incoming = nil
        if wroteFlight { flight = written.filter(\.isHandshake) }
        send(written)
        return result
    }

    /// True if handshake messages have been written since `withDatagram` began.
    var wroteFlight: Bool { written.contains(where: \.isHandshake) }

    func next() -> [UInt8]? { outgoing.isEmpty ? nil : outgoing.removeFirst() }

    func resendFlight() { send(flight) }

    func dropFlight() { flight = [] }

    private func write(_ bytes: UnsafeRawBufferPointer) {
        for record in DTLSRecord.all(in: bytes) {
            guard record.epoch > 0 else {
                written.append(record)
                continue
            }
            if sealer == nil, let ssl { sealer = DTLSRecordSealer(ssl, role: role) }
            if let opened = sealer?.open(record) { written.append(opened) } else { isBroken = true }
        }
    }

    /// Packs the records into datagrams. OpenSSL's own packing is not used: it ignores the overhead of GCM, and after a handshake it puts
    /// each record into a separate datagram.
    private func send(_ records: [DTLSRecord]) {
        var datagram: [UInt8] = []
        for var record in records {
            let epoch = min(Int(record.epoch), 1)
            record.sequence = sequences[epoch]
            sequences[epoch] += 1
            if epoch > 0 {
                guard let sealed = sealer?.seal(record) else {
                    isBroken = true
                    continue
                }
                record = sealed
            }
            if !datagram.isEmpty, datagram.count + record.encodedLength > mtu {
                enqueue(datagram)
                datagram = []
            }
            record.write(to: &datagram)
        }
        if !datagram.isEmpty { enqueue(datagram) }
    }

    private func enqueue(_ datagram: [UInt8]) {
        if outgoing.count == Self.longestQueue { outgoing.removeFirst() }
        outgoing.append(datagram)
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard let datagram = incoming else { return nil }
        incoming = nil
        let count = min(datagram.count, buffer.count)
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: datagram[..<count]))
        return count
    }

    private static func pipe(of bio: OpaquePointer?) -> DatagramPipe? {
        guard let address = BIO_get_data(bio) else { return nil }
        return Unmanaged<DatagramPipe>.fromOpaque(address).takeUnretainedValue()
    }

    /// Methods of the BIO. Created once, never freed or changed, since every connection uses it.
    nonisolated(unsafe) private static let method: OpaquePointer? = {
        guard let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "datagram pipe") else { return nil }
        BIO_meth_set_write(method) { bio, bytes, count in
            BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
            guard let pipe = DatagramPipe.pipe(of: bio), let bytes, count > 0 else { return -1 }
            pipe.write(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            return count
        }
        BIO_meth_set_read(method) { bio, bytes, count in
            BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
            guard let pipe = DatagramPipe.pipe(of: bio), let bytes, count > 0 else { return -1 }
            if let count = pipe.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))) {
                return Int32(count)
            }
            BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
            return -1
        }
        BIO_meth_set_ctrl(method) { _, command, _, _ in
            // Writes are complete datagrams, so there is nothing to flush. All other commands concern sockets.
            command == BIO_CTRL_FLUSH ? 1 : 0
        }
        return method
    }()
}
