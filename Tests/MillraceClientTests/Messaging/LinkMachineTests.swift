import Foundation
import MediaBase
import MillraceTestKit
import Signaling
import Testing

@testable import MillraceClient

@Suite("Link of conversations") struct LinkMachineTests {
    private struct Bench {
        var machine: LinkMachine
        var now = MediaTime.seconds(1)
        var opened: [(link: Int, at: MediaTime)] = []
        var sent: [RequestMessage] = []
        var news: [String] = []

        init(_ configuration: MessagingConfiguration = MessagingConfiguration()) {
            machine = LinkMachine(
                url: "wss://relay.example", configuration: configuration, random: SeededGenerator(seed: 1))
            machine.start(now: now)
            drain()
        }

        mutating func drain() {
            while let output = machine.nextOutput() {
                switch output {
                case .open(_, let link): opened.append((link, now))
                case .close: break
                case .send(let message, _):
                    if let request = try? JSONDecoder().decode(RequestMessage.self, from: Data(message)) {
                        sent.append(request)
                    }
                case .news(.up): news.append("up")
                case .news(.down): news.append("down")
                case .news(.ended(let error)): news.append("ended \(error.code.rawValue)")
                case .news(.answer(let ticket, .success)): news.append("answer \(ticket)")
                case .news(.answer(let ticket, .failure(let error))):
                    news.append("no answer \(ticket) \(error.code.rawValue)")
                case .news(.event(let event)): news.append(event.name.rawValue)
                }
            }
        }

        var link: Int { opened.last?.link ?? 0 }

        mutating func open() {
            machine.opened(link: link, now: now)
            drain()
        }

        mutating func cut() {
            machine.closed(link: link, reason: "cut", now: now)
            drain()
        }

        mutating func ask(_ ticket: UInt64) {
            machine.send(LoginRequest(), ticket: ticket, now: now)
            drain()
        }

        mutating func receive(_ value: some Encodable) {
            guard let data = try? JSONEncoder().encode(value) else { return }
            machine.receive([UInt8](data), link: link, now: now)
            drain()
        }

        mutating func reply() { receive(ResultMessage<Done>(id: sent.last?.id ?? 0, .success(Done()))) }

        /// Advances time until the next WebSocket opens.
        mutating func advanceToOpen() {
            let before = opened.count
            while opened.count == before, machine.deadline != .never {
                now = max(now, machine.deadline)
                machine.handleTimeout(now: now)
                drain()
            }
        }

        mutating func advance(by time: MediaTime) {
            let end = now + time
            while machine.deadline <= end {
                now = max(now, machine.deadline)
                machine.handleTimeout(now: now)
                drain()
            }
            now = end
        }
    }

    @Test("CHT-9 a lost link is reopened with growing delays, and reports unanswered requests") func comesBack() {
        var bench = Bench()
        bench.ask(1)
        bench.open()
        bench.ask(2)
        bench.reply()
        bench.ask(3)
        bench.receive(EventMessage(seq: 0, .messaging(.totalUnreadChanged(TotalUnreadChanged(total: 1)))))
        bench.cut()
        #expect(bench.news == ["no answer 1 notConnected", "up", "answer 2", "totalUnreadChanged", "down"])
        for _ in 0..<12 {
            bench.advanceToOpen()
            bench.cut()
        }
        #expect(bench.opened.count == 13)
        let waits = zip(bench.opened.dropFirst().map(\.at), bench.opened.map(\.at)).map { $0 - $1 }
        #expect(waits.allSatisfy { $0 <= .seconds(30) } && waits.suffix(3).allSatisfy { $0 >= .seconds(15) })
        bench.advanceToOpen()
        bench.open()
        #expect(bench.news.last == "up")
    }

    @Test("CON-3 silence, unanswered requests and a relay that closes count as a loss") func losses() {
        var bench = Bench()
        bench.open()
        bench.advance(by: .seconds(26))
        #expect(bench.news.contains("down"))
        #expect(bench.sent.allSatisfy { $0.request.method == PingRequest.method })
        bench.advance(by: .seconds(5))
        bench.open()
        bench.receive(EventMessage(seq: 1, .disconnected(Disconnected(reason: .relayShutdown))))
        #expect(bench.news.suffix(2) == ["up", "down"])
        bench.advance(by: .seconds(5))
        bench.open()
        let before = bench.now
        bench.machine.restart(retryAfter: 20, now: bench.now)
        bench.drain()
        bench.advance(by: .seconds(21))
        #expect(bench.opened.last?.at ?? .zero >= before + .seconds(20))
    }

    @Test func timesWithoutAnEndLoseNothing() {
        var configuration = MessagingConfiguration()
        configuration.connectTimeout = .seconds(Int64.max)
        configuration.requestTimeout = .seconds(Int64.max)
        configuration.pingInterval = .seconds(Int64.max)
        var bench = Bench(configuration)
        bench.advance(by: .seconds(5))
        bench.open()
        bench.ask(1)
        bench.advance(by: .seconds(5))
        #expect(bench.news == ["up"])
        bench.reply()
        #expect(bench.news == ["up", "answer 1"])
    }

    @Test("CON-5 the client does not retry after a permanent refusal of the user") func refused() {
        var bench = Bench()
        bench.machine.refused(link: bench.link, SignalingError(.draining, retryAfter: 3), now: bench.now)
        bench.drain()
        bench.advance(by: .seconds(4))
        #expect(bench.opened.count == 2)
        bench.machine.refused(link: bench.link, SignalingError(.tokenExpired), now: bench.now)
        bench.drain()
        bench.advance(by: .seconds(1_000))
        #expect(bench.news == ["ended tokenExpired"] && bench.opened.count == 2)
        bench.machine.start(now: bench.now)
        bench.drain()
        bench.open()
        bench.machine.stop()
        bench.drain()
        bench.advance(by: .seconds(1_000))
        #expect(bench.news.last == "up" && bench.opened.count == 3)
    }

    @Test("CON-5 an unreadable certificate file fails at once, and is not reported as an unreachable relay")
    func certificates() async {
        let security = ConnectionSecurity(
            timeout: .seconds(1), checksCertificates: true, trustedCertificates: "/does/not/exist.pem")
        var refusal: SignalingError?
        do throws(SignalingError) {
            let target = try WebSocketTarget("wss://127.0.0.1:1", token: "t", security)
            _ = try await WebSocketConnection.open(target)
        } catch {
            refusal = error
        }
        #expect(refusal?.code == .invalidField && refusal?.field == "trustedCertificates")
        var bench = Bench()
        bench.machine.refused(link: bench.link, SignalingError(.invalidField), now: bench.now)
        bench.drain()
        #expect(bench.news == ["ended invalidField"] && bench.machine.deadline == .never)
    }
}
