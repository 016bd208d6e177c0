import COpenSSL

/// The memory that stands in for a socket under OpenSSL: one read is one datagram that came, one write one datagram to send.
///
/// What goes out is taken apart into records and put together again under sequence numbers of its own, so that the last flight can be
/// sent again at any time (see ``DTLSRecordSealer``).
final class DatagramPipe {
    /// The BIO whose calls end here; OpenSSL's connection owns one more reference to it.
    let bio: OpaquePointer
    private let role: DTLSConnection.Role
    private var incoming: UnsafeRawBufferPointer?
    private var outgoing: [[UInt8]] = []
    private var sealer: DTLSRecordSealer?
    /// What was written since `withDatagram` began, in the clear.
    private var written: [DTLSRecord] = []
    /// The handshake messages that were written last, in the clear, until the peer shows that it has them.
    private var flight: [DTLSRecord] = []
    /// Bytes of a datagram at most.
    private let mtu: Int
    /// Next sequence number of epoch 0 and 1.
    private var sequences: [UInt64] = [0, 0]
    /// The connection that the write key is taken from.
    private var ssl: OpaquePointer?
    /// A record could not be sealed: the association cannot go on.
    private(set) var isBroken = false

    /// Datagrams that wait for `next()` at most; a caller that never takes any keeps the newest.
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

    /// Puts this pipe under a connection, which the pipe does not own.
    func attach(to ssl: OpaquePointer) {
        self.ssl = ssl
        BIO_up_ref(bio)
        SSL_set_bio(ssl, bio, bio)
    }

    /// Runs `body` with `datagram` to be read; what it writes goes out afterwards, handshake messages among it as a flight of its own.
    func withDatagram<R>(_ datagram: UnsafeRawBufferPointer?, _ body: () -> R) -> R {
        incoming = datagram
        written = []
        let result = body()
        incoming = nil
        if wroteFlight { flight = written.filter(\.isHandshake) }
        send(written)
        return result
    }

    /// Whether handshake messages have been written since `withDatagram` began.
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

    /// Fills datagrams with the records. OpenSSL's own cut is not kept: it forgets what GCM adds, and once a handshake is over it puts
    /// each record into a datagram of its own.
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

    /// The calls of the BIO; made once and never freed, as every connection uses it. It is not changed after it was made.
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
            // Writes are whole datagrams, so there is nothing to flush; all other questions are for sockets.
            command == BIO_CTRL_FLUSH ? 1 : 0
        }
        return method
    }()
}
