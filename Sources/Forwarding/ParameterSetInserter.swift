package import MediaBase
package import RTP

/// Inserts the parameter sets of a publisher's session description in front of the key frames of an H.264 stream that has none in band, so
/// that subscribers, recordings and canvases get the same stream as from other publishers.
///
/// The inserted packet needs a sequence number, so later packets move up by one. The relay uses the moved numbers everywhere; requests and
/// reports to the publisher have its own numbers. Once a sequence parameter set arrives in band, no more are inserted.
package struct ParameterSetInserter: Sendable {
    /// Numbers of a packet after the insertion.
    package struct Numbers: Sendable, Equatable {
        package var packet: SequenceNumber
        /// Number of the parameter sets, which precede the packet; nil: none are inserted.
        package var sets: SequenceNumber?
    }

    /// Number of insertions that are remembered. Packets before them are too old.
    static let capacity = 8
    /// Minimum time between two insertions, so that a publisher that sends only tiny key frames cannot multiply its bit rate.
    package static let minimumInterval = MediaTime.milliseconds(10)

    /// Parameter sets to insert; nil: none any more.
    private var sets: H264ParameterSets?
    /// Whether the publisher has sent a sequence parameter set.
    private var isInBand = false
    private var reader = H264Reader()
    private var sequences = SequenceUnwrapper()
    private var timestamps = TimestampUnwrapper()
    private var insertedAt = MediaTime(rawValue: .min)
    /// Publisher's numbers of the packets behind the newest insertions, by the insertion's number modulo `capacity`.
    private var firstSequences = SIMD8<Int64>(repeating: .min)
    /// Number of insertions.
    private var count: Int64 = 0

    package init(_ sets: H264ParameterSets) { self.sets = sets }

    /// Payload of the inserted packets (STAP-A).
    package var payload: [UInt8] { sets?.payload ?? [] }

    /// Whether packets have to pass through this value: sets may be inserted, or numbers have moved.
    package var isNeeded: Bool { count > 0 || !isInBand && sets != nil }

    /// Number of insertions since the publisher's encoder (re)started.
    package var insertions: Int64 { count }

    /// Takes the next packet of the publisher.
    /// - Returns: nil for a packet before the remembered insertions.
    package mutating func take(
        _ header: RTPHeader, _ payload: UnsafeRawBufferPointer, now: MediaTime
    ) -> Numbers? {
        let isLate = sequences.highest.map { sequences.peek(header.sequenceNumber) <= $0 } ?? false
        let sequence = sequences.unwrap(header.sequenceNumber)
        guard let shift = shift(of: sequence) else { return nil }
        var numbers = Numbers(packet: Self.number(sequence &+ shift))
        guard sets != nil, !isInBand,
            let facts = try? reader.read(payload, timestamp: timestamps.unwrap(header.timestamp))
        else { return numbers }
        if facts.parameterSets.contains(.sequence) { isInBand = true }
        // A late packet has no free number before it. Its key frame is without parameter sets; the next one has them.
        guard facts.parameterSets.contains(.isMissing), !isLate, now >= insertedAt + Self.minimumInterval else {
            return numbers
        }
        insertedAt = now
        firstSequences[Int(count) & (Self.capacity - 1)] = sequence
        count &+= 1
        numbers = Numbers(packet: Self.number(sequence &+ shift &+ 1), sets: Self.number(sequence &+ shift))
        return numbers
    }

    /// Returns the publisher's number of a missing packet; nil if it is before the remembered insertions.
    package func publisherNumber(of number: SequenceNumber) -> SequenceNumber? {
        guard count > 0, let highest = sequences.highest else { return number }
        let near = highest &+ count
        let step = Int16(bitPattern: number.rawValue &- UInt16(truncatingIfNeeded: near))
        let sequence = near &+ Int64(step)
        var shift = count
        while shift > 0, shift > count - Int64(Self.capacity) {
            // The insertion itself has the number before that of the packet behind it.
            let insertion = shift - 1
            if sequence > firstSequences[Int(insertion) & (Self.capacity - 1)] &+ insertion { break }
            shift -= 1
        }
        guard shift == 0 || shift > count - Int64(Self.capacity) else { return nil }
        return Self.number(sequence &- shift)
    }

    /// Takes the parameter sets of a new session description.
    package mutating func replace(_ sets: H264ParameterSets?) { self.sets = sets }

    /// Continues with unrelated sequence numbers, because the publisher has restarted its encoder.
    package mutating func restart() {
        sequences = SequenceUnwrapper()
        timestamps = TimestampUnwrapper()
        reader = H264Reader()
        insertedAt = MediaTime(rawValue: .min)
        firstSequences = SIMD8(repeating: .min)
        count = 0
    }

    /// Returns the number of insertions before a packet; nil if it is not known any more.
    private func shift(of sequence: Int64) -> Int64? {
        var shift = count
        while shift > 0, shift > count - Int64(Self.capacity) {
            if sequence >= firstSequences[Int(shift - 1) & (Self.capacity - 1)] { return shift }
            shift -= 1
        }
        return shift == 0 ? 0 : nil
    }

    private static func number(_ sequence: Int64) -> SequenceNumber {
        SequenceNumber(UInt16(truncatingIfNeeded: sequence))
    }
}
