/// Reads the facts of AV1 packets (RTP Payload Format for AV1 version 1.0). The aggregation header marks the start of a coded video sequence;
/// other frames start with the first packet of a new timestamp that does not continue an OBU.
package struct AV1Reader: Sendable {
    private var starts = FrameStarts()

    package init() {}

    package mutating func read(_ payload: UnsafeRawBufferPointer, timestamp: Int64) throws(RTPError) -> FrameFacts {
        let header = try AV1AggregationHeader(parsing: payload)
        let found = starts.take(
            timestamp: timestamp, canStart: !header.continuesElement, mustStart: header.startsSequence,
            isKey: header.startsSequence)
        var facts = FrameFacts()
        facts.isFrameStart = found.frame
        facts.isKeyFrameStart = found.keyFrame
        if found.keyFrame, let sequence = try Self.sequenceHeader(header, payload) {
            facts.width = UInt16(clamping: sequence.width)
            facts.height = UInt16(clamping: sequence.height)
        }
        return facts
    }

    /// Returns the sequence header of a packet that starts a sequence; nil if it has none that can be read.
    private static func sequenceHeader(
        _ header: AV1AggregationHeader, _ payload: UnsafeRawBufferPointer
    ) throws(RTPError) -> AV1SequenceHeader? {
        var elements = AV1Elements(header, payload)
        while let element = try elements.next() {
            if let sequence = try? AV1SequenceHeader(parsing: element.bytes) { return sequence }
        }
        return nil
    }
}
