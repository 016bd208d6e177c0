internal import Foundation
internal import MediaBase
internal import Signaling

/// A WebSocket for conversations alone: runs the machine, its timer and its sockets.
actor DirectLink: MessagingLink {
    private let token: String
    private var machine: LinkMachine
    private var news: (@Sendable (LinkNews) -> Void)?
    private var socket: (link: Int, connection: WebSocketConnection)?
    private var timer: Task<Void, Never>?
    private var timerAt = MediaTime.never

    init(url: String, token: String, configuration: MessagingConfiguration) {
        self.token = token
        machine = LinkMachine(url: url, configuration: configuration)
    }

    func open(_ news: @escaping @Sendable (LinkNews) -> Void) {
        self.news = news
        machine.start(now: ClientClock.now)
        perform()
    }

    func send(_ request: Request, ticket: UInt64) {
        machine.send(request, ticket: ticket, now: ClientClock.now)
        perform()
    }

    func restart(retryAfter: Int?) {
        machine.restart(retryAfter: retryAfter, now: ClientClock.now)
        perform()
    }

    func close() {
        machine.stop()
        perform()
        news = nil
    }

    private func opened(_ connection: WebSocketConnection, link: Int) {
        let isWanted = link == machine.link
        if isWanted { socket = (link, connection) }
        Task { [weak self] in
            let reason = await connection.run { [weak self] message in await self?.received(message, link: link) }
            await self?.closed(link: link, reason: reason)
        }
        guard isWanted else { return connection.close(saysGoodbye: true) }
        machine.opened(link: link, now: ClientClock.now)
        perform()
    }

    private func refused(_ error: SignalingError, link: Int) {
        machine.refused(link: link, error, now: ClientClock.now)
        perform()
    }

    private func received(_ message: [UInt8], link: Int) {
        machine.receive(message, link: link, now: ClientClock.now)
        perform()
    }

    private func closed(link: Int, reason: String) {
        machine.closed(link: link, reason: reason, now: ClientClock.now)
        perform()
    }

    private func timeout() {
        timerAt = .never
        machine.handleTimeout(now: ClientClock.now)
        perform()
    }

    private func perform() {
        while let output = machine.nextOutput() {
            switch output {
            case .open(let url, let link): open(url, link: link)
            case .close(let link, let saysGoodbye):
                guard let current = socket, current.link == link else { continue }
                current.connection.close(saysGoodbye: saysGoodbye)
                socket = nil
            case .send(let message, let link):
                guard let current = socket, current.link == link else { continue }
                current.connection.send(message)
            case .news(let told): news?(told)
            }
        }
        arm()
    }

    private func open(_ url: String, link: Int) {
        let target: WebSocketTarget
        do throws(SignalingError) {
            target = try WebSocketTarget(url, token: token, machine.configuration.security)
        } catch {
            return machine.refused(link: link, error, now: ClientClock.now)
        }
        Task { [weak self] in
            do throws(SignalingError) {
                let connection = try await WebSocketConnection.open(target)
                guard let self else {
                    connection.close(saysGoodbye: true)
                    _ = await connection.run { _ in }
                    return
                }
                await self.opened(connection, link: link)
            } catch {
                await self?.refused(error, link: link)
            }
        }
    }

    private func arm() {
        let deadline = machine.deadline
        // An earlier wake-up finds nothing to do and arms again.
        guard deadline < timerAt else { return }
        timer?.cancel()
        timerAt = deadline
        let wait = max(0, (deadline - ClientClock.now).rawValue)
        timer = Task { [weak self] in
            do { try await Task.sleep(for: .nanoseconds(wait)) } catch { return }
            await self?.timeout()
        }
    }
}
