public import MediaBase

/// Decrypts the frames of one track of one publisher.
///
/// All that it reads comes from the relay, which may lie: keys, counters and prefixes are bounded and checked, and nothing is kept for a
/// frame that does not authenticate. Not thread-safe.
public final class SFrameOpener {
    /// Limits of what a sender, or a relay that makes up frames, can have kept or computed.
    public enum Limit {
        /// Keys kept. The least recently used one goes.
        public static let keys = 16
        /// Key derivations in one second.
        public static let newKeysPerSecond = 8
        /// Secrets kept; those of earlier epochs are needed for a few seconds after a change.
        public static let epochs = 4
    }

    private struct Entry {
        let key: SFrameKey
        var window = CounterWindow()
        var lastUse: MediaTime
    }

    private let kind: FrameKind
    private let suite: SFrameSuite
    private var baseKeys: [(epoch: UInt8, key: [UInt8])] = []
    private var entries: [Entry] = []
    private var derivations = 0
    private var derivationsSince = MediaTime.zero

    public init(_ kind: FrameKind, suite: SFrameSuite = .aes128GCM) {
        self.kind = kind
        self.suite = suite
    }

    /// Accepts frames of `epoch` from now on, under the publisher's base key. A second key of an epoch replaces the first.
    public func add(baseKey: [UInt8], epoch: UInt8) {
        remove(epoch: epoch)
        baseKeys.append((epoch, baseKey))
        if baseKeys.count > Limit.epochs { remove(epoch: baseKeys[0].epoch) }
    }

    /// Accepts no frames of `epoch` any more.
    public func remove(epoch: UInt8) {
        baseKeys.removeAll { $0.epoch == epoch }
        entries.removeAll { SFrameKeyID.epoch($0.key.keyID) == epoch }
    }

    /// Replaces the content of `output` by the frame that `sealed` holds. `output` is empty if this throws.
    public func open(_ sealed: UnsafeRawBufferPointer, into output: inout [UInt8], at now: MediaTime)
        throws(SFrameFailure)
    {
        output.removeAll(keepingCapacity: true)
        do throws(SFrameFailure) {
            try openChecked(sealed, &output, now)
        } catch {
            output.removeAll(keepingCapacity: true)
            throw error
        }
    }

    private func openChecked(_ sealed: UnsafeRawBufferPointer, _ output: inout [UInt8], _ now: MediaTime)
        throws(SFrameFailure)
    {
        guard let prefix = kind.clearPrefixLength(sealed),
            let (header, headerLength) = SFrameHeader.read(UnsafeRawBufferPointer(rebasing: sealed[prefix...])),
            let epoch = SFrameKeyID.epoch(header.keyID)
        else { throw .notEncrypted }
        let body = prefix + headerLength
        let end = sealed.count - suite.tagLength
        guard end >= body else { throw .notEncrypted }

        let known = entries.firstIndex { $0.key.keyID == header.keyID }
        if let known, entries[known].window.isReplay(header.counter) { throw .replay }
        let key = if let known { entries[known].key } else { try derive(header.keyID, epoch, now) }

        output.append(contentsOf: sealed[..<prefix])
        output.append(contentsOf: sealed[body...])
        try output.withUnsafeMutableBufferPointer { (buffer) throws(SFrameFailure) in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            try FrameMetadata(kind, prefix: UnsafeRawBufferPointer(rebasing: sealed[..<prefix])).withBytes {
                (metadata) throws(SFrameFailure) in
                let last = bytes.count - suite.tagLength
                try key.open(
                    UnsafeMutableRawBufferPointer(rebasing: bytes[prefix..<last]),
                    tag: bytes.baseAddress!.assumingMemoryBound(to: UInt8.self) + last, counter: header.counter,
                    header: UnsafeRawBufferPointer(rebasing: sealed[prefix..<body]), metadata: metadata)
            }
        }
        output.removeLast(suite.tagLength)
        note(header.counter, key, known, now)
    }

    /// A frame authenticated: only now its key is kept.
    private func note(_ counter: UInt64, _ key: SFrameKey, _ known: Int?, _ now: MediaTime) {
        if let known {
            entries[known].window.note(counter)
            entries[known].lastUse = now
            return
        }
        if entries.count >= Limit.keys,
            let oldest = entries.indices.min(by: { entries[$0].lastUse < entries[$1].lastUse })
        {
            entries.remove(at: oldest)
        }
        var entry = Entry(key: key, lastUse: now)
        entry.window.note(counter)
        entries.append(entry)
    }

    private func derive(_ keyID: UInt64, _ epoch: UInt8, _ now: MediaTime) throws(SFrameFailure) -> SFrameKey {
        guard let baseKey = baseKeys.first(where: { $0.epoch == epoch })?.key else { throw .unknownEpoch }
        if now - derivationsSince >= .seconds(1) {
            derivationsSince = now
            derivations = 0
        }
        guard derivations < Limit.newKeysPerSecond else { throw .tooManyKeys }
        derivations += 1
        return try SFrameKey(suite, baseKey: baseKey, keyID: keyID)
    }
}
