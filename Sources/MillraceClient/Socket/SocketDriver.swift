import MediaBase
import Signaling

/// Opens and closes the WebSockets that a machine requests, and runs its timer.
protocol SocketDriver: Actor {
    associatedtype Machine: SocketMachine

    var machine: Machine { get set }
    var line: SocketLine { get set }

    /// Performs the machine's outputs, then calls `arm`.
    func perform()
}

extension SocketDriver {
    // MARK: outputs of the machine

    func open(_ url: String, token: String, _ security: ConnectionSecurity, link: Int) {
        let target: WebSocketTarget
        do throws(SignalingError) {
            target = try WebSocketTarget(url, token: token, security)
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

    func arm() {
        let deadline = machine.deadline
        // If the timer fires earlier than the deadline, `handleTimeout` does nothing and the timer is armed
        // again.
        guard deadline < line.timerAt else { return }
        line.timer?.cancel()
        line.timerAt = deadline
        let wait = max(0, (deadline - ClientClock.now).rawValue)
        line.timer = Task { [weak self] in
            do { try await Task.sleep(for: .nanoseconds(wait)) } catch { return }
            await self?.timeout()
        }
    }

    // MARK: callbacks of the WebSocket and the timer

    private func opened(_ connection: WebSocketConnection, link: Int) {
        let isWanted = link == machine.link
        if isWanted { line.socket = (link, connection) }
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
        line.timerAt = .never
        machine.handleTimeout(now: ClientClock.now)
        perform()
    }
}
