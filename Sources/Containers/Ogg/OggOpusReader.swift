/// Reads the first Opus stream of an Ogg file (RFC 7845) and the streams chained after it. Checks the checksum of every
/// page; notes the loss of a damaged page and continues with the next valid one.
public final class OggOpusReader {
    /// Largest packet, well above the largest valid Opus packet (61,440 bytes of 120 ms at the highest rate).
    public static let maximumPacket = 256 << 10
    /// Samples per channel after which no chained stream is read: 760,000 years.
    private static let longestChain: Int64 = 1 << 60

    public private(set) var head: OpusHead
    public private(set) var vendor = ""
    /// Comments of OpusTags, in the form `NAME=value`.
    public private(set) var comments: [String] = []
    public var damage: DamageLog { pages.damage }
    public var position: Int64 { pages.input.position }
    public let byteCount: Int64
    /// Number of chained streams after the first one.
    public private(set) var chainedStreams = 0

    private var pages: OggPageReader
    private var serial: UInt32
    private var expectedSequence: UInt32
    private var partial: [UInt8] = []
    private var isPartial = false
    private var sawTags = false
    /// Samples since the start of this link, including pre-skip.
    private var samples: Int64 = 0
    private var isFirstAudioPage = true
    private var base: Int64 = 0
    /// Whether the earlier links have reached the sample limit, so that the rest is not read.
    private var isPastLimit = false
    private var queue: [OggOpusPacket] = []
    private var queueHead = 0

    public init(source: any ByteSource) throws(ContainerError) {
        byteCount = source.byteCount
        var pages = OggPageReader(BufferedSource(source))
        guard try pages.input.peek(4).elementsEqual("OggS".utf8) else {
            throw ContainerError(.ogg, "capture pattern", at: 0, .wrongFormat)
        }
        while true {
            guard let page = try pages.next() else {
                throw pages.damage.notes.first?.error
                    ?? ContainerError(.ogg, "OpusHead", at: 0, .unsupported("it has no Opus stream"))
            }
            guard page.isFirst, page.body.starts(with: Array("OpusHead".utf8)) else { continue }
            head = try OpusHead(parsing: page.body, in: .ogg, at: page.position)
            serial = page.serial
            expectedSequence = page.sequence &+ 1
            break
        }
        self.pages = pages
        base = -Int64(head.preSkip)
    }

    /// Returns the next packet; nil at the end.
    public func next() throws(ContainerError) -> OggOpusPacket? {
        while queueHead == queue.count {
            queue.removeAll(keepingCapacity: true)
            queueHead = 0
            guard let page = try pages.next() else {
                if isPartial { losePartial(ContainerError(.ogg, "packet", at: position, .truncated)) }
                return nil
            }
            try take(page)
        }
        queueHead += 1
        return queue[queueHead - 1]
    }

    private func losePartial(_ error: ContainerError) {
        pages.note(error, lostBytes: Int64(partial.count))
        partial.removeAll()
        isPartial = false
    }

    private func take(_ page: OggPage) throws(ContainerError) {
        guard !isPastLimit else { return }
        if page.serial != serial || (page.isFirst && sawTags) {
            try chain(page)
            return
        }
        if page.sequence != expectedSequence {
            let missing = Int64(page.sequence) - Int64(expectedSequence)
            pages.note(ContainerError(.ogg, "page sequence", at: page.position, .malformed("\(missing) pages missing")))
            partial.removeAll()
            isPartial = false
        }
        expectedSequence = page.sequence &+ 1

        var packets: [[UInt8]] = []
        var dropFirst = page.isContinued && !isPartial
        if !page.isContinued, isPartial {
            losePartial(ContainerError(.ogg, "packet", at: page.position, .malformed("not continued on the next page")))
        }
        var offset = 0
        for segment in page.segments {
            let length = Int(segment)
            if !dropFirst {
                partial.append(contentsOf: page.body[offset..<offset + length])
                isPartial = true
            }
            offset += length
            if partial.count > Self.maximumPacket {
                losePartial(
                    ContainerError(.ogg, "packet", at: page.position, .tooLarge(limit: Int64(Self.maximumPacket))))
                dropFirst = true
            }
            if length < 255 {
                if !dropFirst { packets.append(partial) }
                partial.removeAll()
                isPartial = false
                dropFirst = false
            }
        }
        if !sawTags {
            guard !packets.isEmpty else { return }
            sawTags = true
            if packets[0].starts(with: Array("OpusTags".utf8)) {
                parseTags(packets.removeFirst(), at: page.position)
            } else {
                pages.note(ContainerError(.ogg, "OpusTags", at: page.position, .malformed("missing")))
            }
        }
        deliver(packets, of: page)
    }

    /// Queues the packets of a page. The granule position is that of the end of the page's last packet, so times are
    /// computed backwards from it (RFC 7845 section 4).
    private func deliver(_ packets: [[UInt8]], of page: OggPage) {
        var valid: [([UInt8], Int)] = []
        for packet in packets {
            if let duration = OpusPacketDuration.samples(packet) {
                valid.append((packet, duration))
            } else {
                pages.note(
                    ContainerError(.ogg, "Opus packet", at: page.position, .malformed("illegal TOC")),
                    lostBytes: Int64(packet.count))
            }
        }
        guard !valid.isEmpty else { return }
        let total = valid.reduce(Int64(0)) { $0 + Int64($1.1) }
        var gap: Int64 = 0
        var trim: Int64 = 0
        // Bounded, so that a hostile granule cannot overflow later sums.
        if page.granule >= 0, page.granule < 1 << 56 {
            let start = page.granule - total
            if page.isLast, start < samples {
                trim = min(samples - start, total)
            } else if start > samples {
                if !isFirstAudioPage { gap = start - samples }
                // A first page with a late start was cut from a longer stream: time starts there (section 4.5).
                if isFirstAudioPage { base -= start }
                samples = start
            }
        }
        isFirstAudioPage = false
        var remainingTrim = trim
        var trims = [Int](repeating: 0, count: valid.count)
        for index in valid.indices.reversed() where remainingTrim > 0 {
            trims[index] = Int(min(remainingTrim, Int64(valid[index].1)))
            remainingTrim -= Int64(trims[index])
        }
        for (index, (bytes, duration)) in valid.enumerated() {
            queue.append(
                OggOpusPacket(
                    timestamp: base + samples, duration: duration, trimEnd: trims[index],
                    gapBefore: index == 0 ? gap : 0, position: page.position, bytes: bytes))
            samples += Int64(duration)
        }
        samples -= trim
    }

    /// Handles the start of another stream: a chained link after the current stream is read, a multiplexed stream is
    /// ignored.
    private func chain(_ page: OggPage) throws(ContainerError) {
        guard page.isFirst, sawTags, page.body.starts(with: Array("OpusHead".utf8)) else { return }
        // Each link may claim 2^56 samples, so the sum of all links is bounded against overflow.
        guard base + samples < Self.longestChain else {
            pages.note(ContainerError(.ogg, "granule", at: page.position, .tooLarge(limit: Self.longestChain)))
            isPastLimit = true
            return
        }
        let next: OpusHead
        do throws(ContainerError) {
            next = try OpusHead(parsing: page.body, in: .ogg, at: page.position)
        } catch {
            pages.note(error)
            return
        }
        // The decoder is created once, for one number of channels.
        guard next.channels == head.channels else {
            pages.note(
                ContainerError(.ogg, "OpusHead", at: page.position, .unsupported("a chained stream of other channels")))
            return
        }
        base = base + samples - Int64(next.preSkip)
        samples = 0
        head = next
        serial = page.serial
        expectedSequence = page.sequence &+ 1
        sawTags = false
        isFirstAudioPage = true
        partial.removeAll()
        isPartial = false
        chainedStreams += 1
    }

    private func parseTags(_ packet: [UInt8], at position: Int64) {
        func fail() {
            pages.note(ContainerError(.ogg, "OpusTags", at: position, .malformed("a length exceeds its end")))
        }
        var offset = 8
        func text() -> String? {
            guard packet.count - offset >= 4 else { return nil }
            let length = Int(packet.littleEndian(UInt32.self, at: offset))
            guard packet.count - offset - 4 >= length else { return nil }
            defer { offset += 4 + length }
            return String(decoding: packet[offset + 4..<offset + 4 + length], as: UTF8.self)
        }
        guard let name = text(), packet.count - offset >= 4 else { return fail() }
        vendor = name
        let count = Int(packet.littleEndian(UInt32.self, at: offset))
        offset += 4
        for _ in 0..<count {
            guard let comment = text() else { return fail() }
            if comments.count < 256 { comments.append(comment) }
        }
    }
}
