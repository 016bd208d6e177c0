import Glibc
import MillraceTestKit
import SDP
import Testing

/// A thousand broken descriptions, and others with bytes changed at random.
@Suite("SDP: no description traps or takes long") struct SDPMutationTests {
    /// CPU seconds that a stranger's description may take in a debug build, which is some twenty times slower.
    static let allowance = 1.0

    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Processes a stranger's description as the relay does. - Returns: whether it was accepted.
    @discardableResult
    static func use(_ bytes: some Collection<UInt8>) throws(SDPError) -> Bool {
        let start = processorTime
        defer {
            let spent = processorTime - start
            if spent > allowance { Issue.record("\(spent) s") }
        }
        let offer = try Offer(parsing: bytes)
        _ = try? Answer(offer.description, to: offer.description)
        var used = false
        guard let relay = try? Peers.relay else { return false }
        for tracks in [
            (try? offer.receivable()).map { Peers.receive($0) }, (try? offer.sendable()).map { Peers.send($0) },
        ] {
            let answer = offer.answer(relay, tracks: tracks ?? [])
            // The relay's answer is always a valid description, whatever the offer was.
            let again = try SessionDescription(parsing: answer.text)
            if again.media.count != offer.description.media.count { Issue.record("a section more or less") }
            if tracks != nil {
                used = true
                _ = try? Answer(again, to: offer.description)
            }
        }
        return used
    }

    /// Returns the text with one fault: lines cut, removed, swapped, duplicated, made huge, their numbers changed, or bytes inserted.
    static func broken(_ text: String, _ random: inout SeededGenerator) -> [UInt8] {
        var lines = text.split(separator: "\r\n").map { Array($0.utf8) }
        func anyLine() -> Int { random.below(lines.count) }
        for _ in 0...random.below(3) {
            let line = anyLine()
            switch random.below(9) {
            case 0: lines[line].removeLast(random.below(lines[line].count))
            case 1: lines.remove(at: line)
            case 2:
                let other = anyLine()
                lines.swapAt(line, other)
            case 3:
                let other = anyLine()
                lines.insert(lines[line], at: other)
            case 4: lines[line] += [UInt8](repeating: lines[line].last ?? 0, count: 1 << random.below(17))
            case 5:
                let numbers = ["", "-1", "0", "65536", "4294967296", "99999999999999999999999", "1e9", "\u{0661}"]
                let number = Array(numbers[random.below(numbers.count)].utf8)
                if let digit = lines[line].firstIndex(where: { (48...57).contains($0) }) {
                    lines[line].replaceSubrange(digit...digit, with: number)
                }
            case 6:
                lines[line].insert(
                    contentsOf: random.bytes(1 + random.below(8)), at: random.below(lines[line].count + 1))
            case 7: lines = Array(lines[..<line]) + Array(lines[random.below(line + 1)...])
            default: lines[line] = random.bytes(random.below(64))
            }
            if lines.isEmpty { lines = [[]] }
        }
        return Array(lines.joined(separator: [13, 10]))
    }

    @Test(.timeLimit(.minutes(10))) func aThousandBrokenDescriptions() throws {
        let names = Peers.publishers + Peers.subscribers
        var agreed = 0
        var errors: [String: Int] = [:]
        for seed in 0..<1_000 {
            var random = SeededGenerator(seed: UInt64(seed))
            let text = try Peers.text(names[seed % names.count])
            do {
                if try Self.use(Self.broken(text, &random)) { agreed += 1 }
            } catch {
                let kind = "\(error)".split(separator: " ").last.map(String.init) ?? ""
                errors[kind, default: 0] += 1
                if error.description.isEmpty { Issue.record("an error that says nothing") }
            }
        }
        // Damaged descriptions include many that are still accepted, and many that are refused.
        #expect(agreed > 300 && agreed < 900, "\(agreed)")
        #expect(errors.count > 5, "\(errors)")
    }

    @Test(.timeLimit(.minutes(10))) func changedBytes() throws {
        let names = ["pion-view", "obs-publish", "gstreamer-publish", "sources-simulcast"]
        let corpus = try names.map { Array(try Peers.text($0).utf8) }
        var agreed = 0
        MutationFuzzer(corpus: corpus, seed: 11, capacity: 4_096).run(count: 3_000) { bytes in
            if (try? Self.use(bytes)) == true { agreed += 1 }
        }
        #expect(agreed > 200, "\(agreed)")
    }

    @Test(.timeLimit(.minutes(10))) func fragmentsAndCandidates() {
        let corpus = [Array(TrickleFragmentTests.candidates.utf8)]
        var parsed = 0
        MutationFuzzer(corpus: corpus, seed: 12, capacity: 1_024).run(count: 10_000) { bytes in
            guard let fragment = try? TrickleFragment(parsing: bytes) else { return }
            parsed += 1
            // A fragment without known attributes is printed as empty text.
            if !fragment.text.isEmpty, (try? TrickleFragment(parsing: fragment.text)) != fragment {
                Issue.record("\(fragment)")
            }
        }
        #expect(parsed > 1_000, "\(parsed)")
    }

    /// Fills 64 KiB with repetitions of one item that a quadratic parser would compare with all others.
    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            "a=mid:x", "a=group:BUNDLE 0", "a=candidate:1 1 udp 1 192.0.2.1 1 typ host", "a=ssrc-group:FID 1 2",
            "a=ssrc:1 a:b",
            "a=rid:r send", "a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid", "a=rtpmap:111 opus/48000/2",
            "a=rtcp-fb:* nack",
            "a=fmtp:111 a=b;c=d", "a=fingerprint:sha-256 AB", "a=ice-options:trickle", "a=sendrecv", "i=",
            "m=audio 9 RTP/AVP 0",
        ]) func manyOfOneLine(line: String) throws
    {
        let text = try Peers.text("pion-view")
        let count = (SessionDescription.maximumLength - text.utf8.count) / (line.utf8.count + 1)
        _ = try? Self.use((text + String(repeating: line + "\n", count: count)).utf8)
        _ = try? Self.use(
            text.changing("t=0 0\r\n", to: "t=0 0\r\n" + String(repeating: line + "\n", count: count)).utf8)
    }

    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            ("a=group:BUNDLE 0 1", "a=group:BUNDLE", " 0"), ("SAVPF 111", "SAVPF", " 111"),
            ("a=fmtp:111 ", "a=fmtp:111 ", ";a=b"), ("a=rtpmap:96 VP8", "a=rtpmap:96 VP8", "/9"),
            ("a=extmap:1 ", "a=extmap:1", "/1"), ("a=rtcp-mux", "a=rid:r send\r\na=simulcast:send r", ";r"),
            ("a=rtcp-mux", "a=ssrc-group:SIM", " 1"), ("a=candidate:", "a=candidate:", "1 "),
            ("a=mid:1", "a=mid:1", "1"),
        ]) func aHugeLine(old: String, start: String, piece: String) throws
    {
        let text = try Peers.text("pion-view")
        let count = (SessionDescription.maximumLength - text.utf8.count - 200) / piece.utf8.count / 4
        _ = try? Self.use(text.changing(old, to: start + String(repeating: piece, count: count)).utf8)
    }

    @Test(.timeLimit(.minutes(10))) func manyNamesAndManyLinesToFindThemIn() throws {
        let names = String(repeating: ";q", count: 8_000)
        let lines = String(repeating: "a=rid:p x\r\n", count: 3_000)
        let text = try Peers.text("safari-simulcast")
            .changing("a=simulcast:send low;mid;high\r\n", to: "a=simulcast:send low\(names)\r\n" + lines)
        #expect(try Self.use(text.utf8))
    }
}
