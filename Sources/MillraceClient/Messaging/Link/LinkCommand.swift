import Signaling

/// Command to a link. Commands run one at a time, in order.
enum LinkCommand: Sendable {
    case open(NewsQueue)
    case send(any RequestBody, ticket: UInt64)
    case restart(retryAfter: Int?)
    case close(CheckedContinuation<Void, Never>)

    func run(on link: any MessagingLink) async {
        switch self {
        case .open(let queue): await link.open { queue.push($0) }
        case .send(let request, let ticket): await link.send(request, ticket: ticket)
        case .restart(let retryAfter): await link.restart(retryAfter: retryAfter)
        case .close(let done):
            await link.close()
            done.resume()
        }
    }
}
