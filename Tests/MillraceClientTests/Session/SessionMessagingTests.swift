import Foundation
import MediaBase
import NIOConcurrencyHelpers
import Signaling
import Testing

@testable import MillraceClient

@Suite("Session: conversations over its connection") struct SessionMessagingTests {
    /// Records the news of a link as words.
    private final class Heard: Sendable {
        let news = NIOLockedValueBox<[String]>([])
        let link = UUID()

        var seat: MessagingSeat {
            MessagingSeat(link: link) { [news] told in
                let word =
                    switch told {
                    case .up: "up"
                    case .down: "down"
                    case .ended(let error): "ended \(error.code.rawValue)"
                    case .answer(let ticket, _): "answer \(ticket)"
                    case .event(let event): event.name.rawValue
                    }
                news.withLockedValue { $0.append(word) }
            }
        }

        var words: [String] { news.withLockedValue { $0 } }
    }

    private static func core() -> SessionCore {
        var configuration = SessionConfiguration()
        configuration.reconnect = .never
        return SessionCore(
            url: "ws://127.0.0.1:1", token: "t", configuration: configuration, board: SessionBoard())
    }

    @Test("CON-5 without a session the link ends at once") func noSession() async throws {
        let heard = Heard()
        await Self.core().openMessaging(heard.seat)
        #expect(heard.words == ["ended notConnected"])
        let session = Session(url: "ws://127.0.0.1:1", token: "t")
        let client = MessagingClient(session: session, store: try ConversationStore())
        await #expect(throws: SessionError.self) { try await client.connect() }
        #expect(client.status == .failed)
    }

    @Test(
        "CON-3 CON-5 the link ends with its session, whether that failed or was left",
        arguments: [true, false])
    func ends(fails: Bool) async {
        let core = Self.core()
        await core.stand()
        let heard = Heard()
        await core.openMessaging(heard.seat)
        await core.end(fails: fails)
        #expect(heard.words == ["up", "ended notConnected"])
        // A link that ended hears nothing of a later session.
        await core.stand()
        #expect(heard.words.count == 2)
        let again = Heard()
        await core.openMessaging(again.seat)
        #expect(again.words == ["up"])
    }

    @Test("a session has one link at a time: a second is refused, and the first stays") func second() async {
        let core = Self.core()
        await core.stand()
        let (first, second) = (Heard(), Heard())
        await core.openMessaging(first.seat)
        await core.openMessaging(second.seat)
        #expect(second.words == ["ended alreadyJoined"])
        await core.closeMessaging(by: second.link)
        await core.restartMessaging(by: second.link, retryAfter: nil)
        await core.restartMessaging(by: first.link, retryAfter: nil)
        #expect(first.words == ["up", "down", "up"])
        await core.closeMessaging(by: first.link)
        await core.openMessaging(second.seat)
        #expect(second.words.last == "up")
        await core.end(fails: false)
        #expect(first.words == ["up", "down", "up"])
    }

    @Test("a delayed restart blocks no caller, and is cancelled with its link") func restarts() async {
        let core = Self.core()
        await core.stand()
        let heard = Heard()
        await core.openMessaging(heard.seat)
        let clock = ContinuousClock()
        let taken = await clock.measure { await core.restartMessaging(by: heard.link, retryAfter: 3_600) }
        #expect(taken < .seconds(60) && heard.words == ["up"])
        let restart = await core.messagingRestart
        #expect(restart?.isCancelled == false)
        await core.closeMessaging(by: heard.link)
        #expect(restart?.isCancelled == true)
        #expect(await core.messagingRestart == nil)
    }
}

extension SessionCore {
    /// Joins without a WebSocket, so that sent messages are discarded.
    fileprivate func stand() {
        let now = ClientClock.now
        machine.connect(.init(session: "Room", token: "t", name: "Ada", password: nil, client: nil), now: now)
        machine.opened(link: machine.link, now: now)
        var join: UInt32?
        while let output = machine.nextOutput() {
            guard case .send(let message, _) = output else { continue }
            join = (try? JSONDecoder().decode(RequestMessage.self, from: Data(message)))?.id
        }
        let answer = ResultMessage<JoinAnswer>(id: join ?? 0, .success(MachineBench.answer()))
        guard let data = try? JSONEncoder().encode(answer) else { return }
        machine.receive([UInt8](data), link: machine.link, now: now)
        while machine.nextOutput() != nil {}
    }

    fileprivate func end(fails: Bool) {
        let now = ClientClock.now
        if fails {
            machine.closed(link: machine.link, reason: "cut", now: now)
        } else {
            machine.leave(endForAll: false, now: now)
            machine.closed(link: machine.link, reason: "cut", now: now)
        }
        perform()
    }
}
