import MediaBase

/// WebSocket and timer of a `SocketDriver`.
struct SocketLine {
    var socket: (link: Int, connection: WebSocketConnection)?
    var timer: Task<Void, Never>?
    var timerAt = MediaTime.never

    /// - Parameter link: number of the WebSocket; the message is dropped if another one is current.
    func send(_ message: [UInt8], link: Int) {
        guard let socket, socket.link == link else { return }
        socket.connection.send(message)
    }

    mutating func close(link: Int, saysGoodbye: Bool) {
        guard let current = socket, current.link == link else { return }
        current.connection.close(saysGoodbye: saysGoodbye)
        socket = nil
    }
}
