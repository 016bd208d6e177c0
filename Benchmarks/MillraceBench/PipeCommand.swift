import ArgumentParser
import Foundation
import MediaBase
import SRTP

struct PipeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pipe",
        abstract: "Cost and delay of the hop between two relays.",
        discussion: """
            Publishers send to one relay. Their subscribers are at that relay, or at a second one that gets the streams by a pipe, by turns. \
            The difference is the hop: one more encryption and send call at the first relay, and receiving, decryption and \
            the copy at the second one. CPU time outside of the kernel is measured separately. Delays are from the publisher's program to the \
            subscriber's. A third run loses 1 % of the packets of the hop in both directions; none may be missing at the subscriber. \
            Ends with 1 if packets are missing.
            """)

    @Option(help: "Publishers of video with 300 packets a second each.") var publishers = 10
    @Option(help: "Subscribers, each of all streams.") var subscribers = 2
    @Option(help: "Seconds of each measurement.") var seconds = 5.0
    @Option(help: "Times that each is measured; medians are shown.") var rounds = 5
    @Option(help: "cm or gcm.") var suite = "gcm"
    @Option(help: "First UDP port of the subscribers.") var base = 26_000
    @Flag(help: "JSON lines of all measurements instead of the medians.") var json = false

    func validate() throws {
        guard ["cm", "gcm"].contains(suite) else { throw ValidationError("--suite takes cm or gcm") }
        guard (1...100).contains(publishers), (1...500).contains(subscribers), seconds > 0, rounds > 0 else {
            throw ValidationError("--publishers 1 to 100, --subscribers 1 to 500, and more than 0 seconds and rounds")
        }
    }

    func run() async throws {
        let shape = Shape(
            name: "video", publishers: publishers, subscribers: subscribers, isVideo: true, payload: 1200, burst: 10,
            perSecond: 30, together: false)
        let run = PipeRun(
            shape: shape, suite: suite == "gcm" ? .aeadAES128GCM : .aesCM128HMACSHA1_80, seconds: seconds, base: base)
        var results: [[PipeRun.Result]] = []
        for round in 0..<rounds {
            var turn: [PipeRun.Route: PipeRun.Result] = [:]
            let routes = PipeRun.Route.allCases
            for route in round.isMultiple(of: 2) ? routes : routes.reversed() {
                let result = try await run.run(route)
                turn[route] = result
                if json { print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self)) }
                fflush(nil)
            }
            results.append(routes.compactMap { turn[$0] })
        }
        if !json { report(results) }
        let missing = results.joined().reduce(0) { $0 + $1.sink.missing + $1.sink.unauthentic }
        if missing > 0 { throw BenchError("\(missing) packets are missing or cannot be decrypted") }
    }

    private func report(_ results: [[PipeRun.Result]]) {
        print("CPU ns per published packet: outside of the kernel, in all. Delay from publisher to subscriber in us.")
        print("route       user     all  p50 us   p99 us  packets  missing  retransmitted")
        for (index, route) in PipeRun.Route.allCases.enumerated() {
            let all = results.map { $0[index] }
            print(
                String(
                    format: "%-9@ %6.0f  %6.0f  %6.0f  %7.0f  %7d  %7d  %13d", route.rawValue as NSString,
                    all.map(\.userNanoseconds).median, all.map(\.nanoseconds).median, all.map(\.sink.delayP50).median,
                    all.map(\.sink.delayP99).median, all.reduce(0) { $0 + $1.sink.packets },
                    all.reduce(0) { $0 + $1.sink.missing }, all.reduce(0) { $0 + Int($1.retransmissions) }))
        }
        func added(_ value: (PipeRun.Result) -> Double) -> Double {
            results.map { value($0[1]) - value($0[0]) }.median
        }
        print(
            String(
                format: "hop       %6.0f  %6.0f  %6.0f  %7.0f", added(\.userNanoseconds), added(\.nanoseconds),
                added(\.sink.delayP50), added(\.sink.delayP99)))
    }
}
