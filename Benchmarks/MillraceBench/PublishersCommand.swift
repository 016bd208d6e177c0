import ArgumentParser
import CLinuxNet
import DTLS
import Foundation
import MediaBase

/// WHIP publishers of any relay, in real time. The first line of the input is an `EndpointsOrder`; each further one is a `Request`, which is
/// answered by a `PublishersReport`. The first report says that all are connected.
struct PublishersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "publishers", shouldDisplay: false)

    /// A line of the input after the first one.
    private struct Request: Decodable {
        /// Whether nothing is sent until the next request that says otherwise; nil: no change. Packets are counted while nothing is sent,
        /// because then none of them are on the way.
        var pauses: Bool?
    }

    private static let patience: Int64 = 15_000_000_000

    func run() async throws {
        let order = try EndpointsOrder.read()
        let relay = try order.relay()
        let identity = try DTLSIdentity.generate()
        let publishers = try (0..<order.publishers).map { try ShapedPublisher($0, order, identity: identity) }
        for publisher in publishers { try await publisher.offer(to: relay) }
        let end = millrace_monotonic_ns() + Self.patience
        while publishers.contains(where: { !$0.isConnected }) {
            guard millrace_monotonic_ns() < end, !publishers.contains(where: \.isEnded) else {
                throw BenchError("a publisher did not connect to \(order.whip)")
            }
            _ = millrace_wait(publishers.map(\.descriptor), Int32(publishers.count), 5_000_000)
            for publisher in publishers { publisher.poll() }
        }
        try send(order, publishers)
        for publisher in publishers { await publisher.close(at: relay) }
    }

    /// Sends until the input ends.
    private func send(_ order: EndpointsOrder, _ publishers: [ShapedPublisher]) throws {
        let interval = 1e9 / order.perSecond
        let slots = order.pacing.slots(
            of: publishers, packets: order.burst, interval: interval, together: order.together)
        let descriptors = publishers.map(\.descriptor) + [0]
        let input = 1 << Int32(publishers.count)
        var report = PublishersReport()
        try answer(report)
        var start = millrace_monotonic_ns()
        var turn = 0
        var isPaused = false
        func request() throws -> Bool {
            guard let line = readLine() else { return false }
            let request = try JSONDecoder().decode(Request.self, from: Data(line.utf8))
            isPaused = request.pauses ?? isPaused
            try answer(fill(report, publishers))
            report.latest = 0
            return true
        }
        while true {
            // Between frames, so that no frame is incomplete.
            if isPaused {
                let began = millrace_monotonic_ns()
                while isPaused {
                    let ready = millrace_wait(descriptors, Int32(descriptors.count), 20_000_000)
                    for publisher in publishers { publisher.poll() }
                    if Int(ready) & input != 0, try !request() { return }
                }
                start += millrace_monotonic_ns() - began
            }
            let due = start + Int64(Double(turn) * interval)
            for slot in slots {
                let time = due + Int64(slot.offset)
                while true {
                    let wait = time - millrace_monotonic_ns()
                    guard wait > 0 else { break }
                    let ready = millrace_wait(descriptors, Int32(descriptors.count), wait)
                    for publisher in publishers { publisher.poll() }
                    if Int(ready) & input != 0, try !request() { return }
                }
                report.latest = max(report.latest, Double(millrace_monotonic_ns() - time) / 1e6)
                slot.publisher.send(slot.packets, isKeyFrame: turn.isMultiple(of: 30))
            }
            turn += 1
        }
    }

    private func fill(_ report: PublishersReport, _ publishers: [ShapedPublisher]) -> PublishersReport {
        var report = report
        for publisher in publishers {
            report.sent += publisher.sent
            report.refused += publisher.refused
            report.keyFrameRequests += publisher.keyFrameRequests
            report.resent += publisher.resent
            report.ended += publisher.isEnded ? 1 : 0
        }
        return report
    }

    private func answer(_ report: PublishersReport) throws {
        print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
        fflush(nil)
    }
}
