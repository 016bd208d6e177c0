import Dispatch
import Foundation
import Messaging
import Persistence
import Signaling
import Synchronization

/// A store with the conversations of one user, a hundred messages each.
final class BenchStore: Sendable {
    private static let depth = 100
    private static let me = "me"

    let conversations: Int
    private let messages: Int
    private let text: String
    private let database: MessageDatabase

    init(directory: String, messages: Int, textBytes: Int) throws {
        self.messages = messages
        conversations = messages / Self.depth
        text = String(repeating: "x", count: textBytes)
        database = try MessageDatabase(StorageConfiguration(directory: directory)) {
            Int64(Date().timeIntervalSince1970 * 1_000)
        }
    }

    deinit { database.close() }

    var bytes: Int { database.bytes }

    private func message(_ number: Int, in talk: Int) -> MessagingCommand {
        let (me, peer) = (Self.me, "p\(talk)")
        let (from, to) = number % 2 == 0 ? (peer, me) : (me, peer)
        let request = SendMessageRequest(conversation: .peer(to), message: "m\(number)", text: text)
        return MessagingCommand(user: UserKey(app: "", id: from), action: .request(.sendMessage(request)))
    }

    /// Writes one message to each conversation in turn, so that their messages are interleaved on the disk.
    func fill() async throws -> Double {
        let start = DispatchTime.now().uptimeNanoseconds
        let failures = Mutex(0)
        let room = DispatchSemaphore(value: 2_000)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            DispatchQueue.global().async { [self] in
                for number in 0..<messages {
                    room.wait()
                    database.submit(message(number, in: number % conversations)) { answer in
                        if case .failure = answer { failures.withLock { $0 += 1 } }
                        room.signal()
                    }
                }
                for _ in 0..<2_000 { room.wait() }
                for _ in 0..<2_000 { room.signal() }
                continuation.resume()
            }
        }
        guard failures.withLock({ $0 }) == 0 else { throw SignalingError(.storageFailed) }
        return Double(messages) / (Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9)
    }

    private func read(_ request: MessagingRequest) async throws -> (MessagingAnswer, UInt64) {
        let start = DispatchTime.now().uptimeNanoseconds
        let command = MessagingCommand(user: UserKey(app: "", id: Self.me), action: .request(request))
        let answer = try await database.read(command).get().answer
        return (answer, DispatchTime.now().uptimeNanoseconds - start)
    }

    func lists(_ count: Int) async throws -> Latencies {
        var ends: [Int64?] = [nil]
        while ends.count < conversations / 100 {
            guard
                case .conversations(let page) = try await read(
                    .conversations(.init(before: ends.last ?? nil, count: 100))
                ).0,
                let last = page.conversations.last
            else { break }
            ends.append(last.order)
        }
        var times: [UInt64] = []
        for _ in 0..<count {
            let end = ends.randomElement() ?? nil
            times.append(try await read(.conversations(.init(before: end, count: 100))).1)
        }
        return Latencies(nanoseconds: times)
    }

    func histories(_ count: Int) async throws -> Latencies {
        var times: [UInt64] = []
        for _ in 0..<count {
            let ref = ConversationRef.peer("p\(Int.random(in: 0..<conversations))")
            let request = HistoryRequest(conversation: ref, count: 100)
            let (answer, time) = try await read(.history(request))
            guard case .history(let page) = answer, page.messages.count == Self.depth else {
                throw SignalingError(.internalError, "a history has not all its messages")
            }
            times.append(time)
        }
        return Latencies(nanoseconds: times)
    }

    /// Measures from the time at which each message was due, so that a late message also delays those behind it.
    func send(rate: Int, seconds: Int) async throws -> Latencies {
        let times = Mutex<[UInt64]>([])
        let failures = Mutex(0)
        let start = ContinuousClock.now
        let begin = DispatchTime.now().uptimeNanoseconds
        for number in 0..<(rate * seconds) {
            let wait = Duration.nanoseconds(Int64(number) * 1_000_000_000 / Int64(rate))
            try await Task.sleep(until: start + wait, clock: .continuous)
            let due = begin + UInt64(number) * 1_000_000_000 / UInt64(rate)
            database.submit(message(messages + number, in: Int.random(in: 0..<conversations))) { answer in
                let now = DispatchTime.now().uptimeNanoseconds
                if case .failure = answer { failures.withLock { $0 += 1 } }
                times.withLock { $0.append(now - min(due, now)) }
            }
        }
        while times.withLock({ $0.count }) < rate * seconds { try await Task.sleep(for: .milliseconds(5)) }
        guard failures.withLock({ $0 }) == 0 else { throw SignalingError(.storageFailed) }
        return Latencies(nanoseconds: times.withLock { $0 })
    }
}
