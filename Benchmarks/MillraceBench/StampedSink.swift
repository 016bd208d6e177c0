import CLinuxNet
import MediaBase
import RTP
import SRTP

struct StampedSink {
    private var sequences: [SSRC: (unwrapper: SequenceUnwrapper, seen: Set<Int64>)] = [:]
    private var delays: [Int64] = []
    private var unauthentic = 0
    private let context: IngressContext
    private let warmUp: Int64
    private var startedAt: Int64?

    init(key: SRTPKey, warmUp: Double) {
        context = IngressContext(key: key, maximumStreams: 256)
        self.warmUp = Int64(warmUp * 1e9)
    }

    mutating func take(_ datagram: millrace_datagram, now: Int64) {
        guard let bytes = datagram.data else { return }
        var length = Int(datagram.length)
        let view = UnsafeRawBufferPointer(start: bytes, count: length)
        guard DatagramKind(view) == .rtp else { return }
        guard (try? context.unprotect(bytes, length: &length)) != nil,
            let header = try? RTPHeader(parsing: UnsafeRawBufferPointer(start: bytes, count: length)), length > 20
        else {
            unauthentic += 1
            return
        }
        var known = sequences[header.ssrc] ?? (SequenceUnwrapper(), [])
        known.seen.insert(known.unwrapper.unwrap(header.sequenceNumber))
        sequences[header.ssrc] = known
        startedAt = startedAt ?? now
        guard now - (startedAt ?? now) >= warmUp else { return }
        delays.append(now - UnsafeRawPointer(bytes).loadUnaligned(fromByteOffset: length - 8, as: Int64.self))
    }

    var report: StampedSinkReport {
        var report = StampedSinkReport(unauthentic: unauthentic)
        for (_, seen) in sequences.values {
            report.packets += seen.count
            report.missing += Int((seen.max() ?? 0) - (seen.min() ?? 0)) + 1 - seen.count
        }
        let sorted = delays.sorted()
        guard !sorted.isEmpty else { return report }
        report.delayP50 = Double(sorted[sorted.count / 2]) / 1000
        report.delayP99 = Double(sorted[min(sorted.count - 1, sorted.count * 99 / 100)]) / 1000
        return report
    }
}
