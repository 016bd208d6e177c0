import NIOConcurrencyHelpers
import Signaling

/// The canvases of users, each for one kind of stream: they go on when a stream ends and the user begins another one.
final class UserCanvases: Sendable {
    private struct Key: Hashable {
        var user: ConnectionID
        var type: VideoType
    }

    /// Canvases that are kept; a further one ends with its stream.
    static let limit = 10_000

    private let canvases = NIOLockedValueBox<[Key: Canvas]>([:])

    /// The canvas of a user, made if there is none yet.
    func canvas(of user: ConnectionID, _ type: VideoType) -> Canvas {
        canvases.withLockedValue { canvases in
            let key = Key(user: user, type: type)
            if let canvas = canvases[key] { return canvas }
            let canvas = Canvas()
            if canvases.count < Self.limit { canvases[key] = canvas }
            return canvas
        }
    }

    /// The user has left.
    func end(_ user: ConnectionID) {
        let ended = canvases.withLockedValue { canvases in
            [VideoType.camera, .screen].compactMap { canvases.removeValue(forKey: Key(user: user, type: $0)) }
        }
        for canvas in ended { canvas.finish() }
    }

    /// The session is over.
    func endAll() {
        let ended = canvases.withLockedValue { canvases in
            defer { canvases = [:] }
            return Array(canvases.values)
        }
        for canvas in ended { canvas.finish() }
    }
}
