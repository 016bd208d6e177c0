import NIOConcurrencyHelpers
import Signaling

/// Canvases of users, one per kind of stream. A canvas continues if the user ends a stream and publishes another one.
final class UserCanvases: Sendable {
    private struct Key: Hashable {
        var user: ConnectionID
        var type: VideoType
    }

    /// Maximum number of canvases; a canvas beyond it is not kept, and ends with its stream.
    static let limit = 10_000

    private let canvases = NIOLockedValueBox<[Key: Canvas]>([:])

    /// Returns the canvas of a user, and creates it if necessary.
    func canvas(of user: ConnectionID, _ type: VideoType) -> Canvas {
        canvases.withLockedValue { canvases in
            let key = Key(user: user, type: type)
            if let canvas = canvases[key] { return canvas }
            let canvas = Canvas()
            if canvases.count < Self.limit { canvases[key] = canvas }
            return canvas
        }
    }

    /// Ends the canvases of a user who has left.
    func end(_ user: ConnectionID) {
        let ended = canvases.withLockedValue { canvases in
            [VideoType.camera, .screen].compactMap { canvases.removeValue(forKey: Key(user: user, type: $0)) }
        }
        for canvas in ended { canvas.finish() }
    }

    /// Ends all canvases at the end of the session.
    func endAll() {
        let ended = canvases.withLockedValue { canvases in
            defer { canvases = [:] }
            return Array(canvases.values)
        }
        for canvas in ended { canvas.finish() }
    }
}
