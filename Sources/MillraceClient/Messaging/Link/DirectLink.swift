import Foundation
import MediaBase
import Signaling

/// WebSocket for conversations only: runs the machine with its timer and its sockets.
actor DirectLink: MessagingLink, SocketDriver {
    private let token: String
    var machine: LinkMachine
    var line = SocketLine()
    private var news: (@Sendable (LinkNews) -> Void)?

    init(url: String, token: String, configuration: MessagingConfiguration) {
        self.token = token
        machine = LinkMachine(url: url, configuration: configuration)
    }

    func open(_ news: @escaping @Sendable (LinkNews) -> Void) {
        self.news = news
        machine.start(now: ClientClock.now)
        perform()
    }

    func send(_ request: any RequestBody, ticket: UInt64) {
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

    func perform() {
        while let output = machine.nextOutput() {
            switch output {
            case .open(let url, let link): open(url, token: token, machine.configuration.security, link: link)
            case .close(let link, let saysGoodbye): line.close(link: link, saysGoodbye: saysGoodbye)
            case .send(let message, let link): line.send(message, link: link)
            case .news(let told): news?(told)
            }
        }
        arm()
    }
}
