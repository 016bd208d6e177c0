import MediaBase
import SFrame

/// A publisher that has the secret of each epoch, and the receiver that opens its frames.
final class EncryptedPeer {
    private let kind: FrameKind
    private let opener: SFrameOpener
    private var sealer: SFrameSealer?
    private var epoch: UInt8 = 0
    private var now = MediaTime.seconds(1)
    /// The newest frame, sealed and in the clear.
    private var sealed: [UInt8] = []
    private var frame: [UInt8] = []
    private var output: [UInt8] = []

    init(_ kind: FrameKind) {
        self.kind = kind
        opener = SFrameOpener(kind)
    }

    func apply(_ code: UInt8, _ input: inout FuzzInput) throws(FuzzViolation) {
        switch code & 7 {
        case 0: begin(epoch: code >> 3)
        case 1: opener.remove(epoch: code >> 3)
        case 2: now += .milliseconds(Int64(input.u16()))
        case 3: try openForged(input.take(Int(input.u8())))
        case 4: try openDamaged(&input)
        default: try send(input.take(Int(input.u8())), isNew: code & 8 == 0)
        }
    }

    private func begin(epoch: UInt8) {
        let key = baseKey(epoch)
        opener.add(baseKey: key, epoch: epoch)
        sealer = try? SFrameSealer(kind, epoch: epoch, baseKey: key)
        self.epoch = epoch
        sealed = []
    }

    private func baseKey(_ epoch: UInt8) -> [UInt8] { [UInt8](repeating: epoch, count: EncryptionSecret.length) }

    /// Seals a frame and opens it twice.
    /// - Parameter isNew: whether an encoder with a key id of its own sends it.
    private func send(_ bytes: UnsafeRawBufferPointer, isNew: Bool) throws(FuzzViolation) {
        if isNew, epoch > 0 { sealer = try? SFrameSealer(kind, epoch: epoch, baseKey: baseKey(epoch)) }
        guard let sealer, (try? sealer.seal(bytes, into: &sealed)) != nil else { return }
        frame = Array(bytes)
        let opened = try open(sealed)
        // The epoch may have ended, and the receiver may have derived too many keys in this second.
        if opened { try require(output == frame, "a frame of \(frame.count) bytes is opened to another") }
        let openedAgain = try open(sealed)
        try require(!opened || !openedAgain, "a frame is opened twice")
    }

    private func openForged(_ bytes: UnsafeRawBufferPointer) throws(FuzzViolation) {
        let forged = Array(bytes)
        guard forged != sealed else { return }
        let opened = try open(forged)
        try require(!opened, "a forged frame is opened")
    }

    /// Changes one byte of the newest frame, or cuts it.
    private func openDamaged(_ input: inout FuzzInput) throws(FuzzViolation) {
        guard !sealed.isEmpty else { return }
        var damaged = sealed
        let position = Int(input.u16()) % sealed.count
        let change = input.u8()
        if change == 0 { damaged.removeSubrange(position...) } else { damaged[position] ^= change }
        let opened = try open(damaged)
        try require(!opened, "a damaged frame is opened")
    }

    /// - Returns: whether the frame was opened; `output` has its bytes.
    private func open(_ bytes: [UInt8]) throws(FuzzViolation) -> Bool {
        // A block of exactly the frame's length, so that AddressSanitizer detects a read beyond it.
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { block.deallocate() }
        block.copyBytes(from: bytes)
        do throws(SFrameFailure) {
            try opener.open(UnsafeRawBufferPointer(block), into: &output, at: now)
            return true
        } catch {
            try require(output.isEmpty, "\(output.count) bytes of a refused frame")
            return false
        }
    }
}
