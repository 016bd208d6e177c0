/// Messages in a queue, and their size.
struct SocketBacklog: Equatable, Sendable {
    var messages = 0
    var bytes = 0
}
