/// Writes an Ogg Opus file (RFC 7845). A page has at most one second, which bounds the loss if the writer is killed.
public final class OggOpusWriter {
    private let sink: any ByteSink
    private let serial: UInt32
    private var sequence: UInt32 = 0
    private var segments: [UInt8] = []
    private var body: [UInt8] = []
    private var pageSamples = 0
    private var packetsOnPage = 0
    private var isContinued = false
    private var isOpen = true
    /// Samples at 48 kHz written so far, including pre-skip.
    public private(set) var sampleCount: Int64 = 0

    /// Writes OpusHead and OpusTags, each on its own page.
    ///
    /// - Parameter serial: serial number of the stream; any value.
    public init(
        sink: any ByteSink, head: OpusHead, serial: UInt32 = 0x4d69_6c6c, vendor: String = "Millrace",
        comments: [String] = []
    ) throws(ContainerError) {
        self.sink = sink
        self.serial = serial
        guard head.mappingFamily == 0, (1...2).contains(head.channels) else {
            throw ContainerError(.ogg, "OpusHead", .misuse("one or two channels, mapping family 0"))
        }
        var page = OggPage()
        page.isFirst = true
        page.granule = 0
        page.serial = serial
        page.segments = [UInt8(head.bytes.count)]
        page.body = head.bytes
        try sink.write(page.bytes)
        sequence = 1

        var tags = Array("OpusTags".utf8)
        for text in [vendor] {
            tags.appendLittleEndian(UInt32(text.utf8.count))
            tags.append(contentsOf: text.utf8)
        }
        tags.appendLittleEndian(UInt32(comments.count))
        for text in comments {
            tags.appendLittleEndian(UInt32(text.utf8.count))
            tags.append(contentsOf: text.utf8)
        }
        try append(tags)
        try writePage(granule: 0, isLast: false)
    }

    /// Adds one packet, whose duration is read from its first bytes.
    public func write(_ packet: [UInt8]) throws(ContainerError) {
        guard isOpen else { throw ContainerError(.ogg, "packet", .misuse("write after finish")) }
        guard let samples = OpusPacketDuration.samples(packet), packet.count <= OggOpusReader.maximumPacket else {
            throw ContainerError(.ogg, "packet", .misuse("not an Opus packet"))
        }
        if packetsOnPage > 0, pageSamples + samples > 48_000 || segments.count + packet.count / 255 + 1 > 255 {
            try writePage(granule: sampleCount, isLast: false)
        }
        try append(packet)
        sampleCount += Int64(samples)
        pageSamples += samples
    }

    /// Completes the stream and closes the sink.
    ///
    /// - Parameter trimEnd: samples at 48 kHz to cut from the decoded end of the last page.
    public func finish(trimEnd: Int = 0) throws(ContainerError) {
        guard isOpen else { return }
        isOpen = false
        try writePage(granule: max(0, sampleCount - Int64(max(0, min(trimEnd, pageSamples)))), isLast: true)
        try sink.close()
    }

    private func append(_ packet: [UInt8]) throws(ContainerError) {
        var rest = packet[...]
        while true {
            if segments.count == 255 {
                // The packet continues on the next page, so it must not end on this one.
                try writePage(granule: packetsOnPage > 0 ? sampleCount : -1, isLast: false)
                isContinued = true
            }
            let piece = rest.prefix(255)
            segments.append(UInt8(piece.count))
            body.append(contentsOf: piece)
            rest = rest.dropFirst(255)
            if piece.count < 255 { break }
        }
        packetsOnPage += 1
    }

    private func writePage(granule: Int64, isLast: Bool) throws(ContainerError) {
        var page = OggPage()
        page.isContinued = isContinued
        page.isLast = isLast
        page.granule = granule
        page.serial = serial
        page.sequence = sequence
        page.segments = segments
        page.body = body
        sequence &+= 1
        segments.removeAll(keepingCapacity: true)
        body.removeAll(keepingCapacity: true)
        packetsOnPage = 0
        pageSamples = 0
        isContinued = false
        try sink.write(page.bytes)
    }
}
