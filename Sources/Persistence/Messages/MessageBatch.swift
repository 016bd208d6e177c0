/// Results of the commands of one commit.
struct MessageBatch: Sendable {
    var answers: [MessageDatabase.Answer] = []
    /// Events of the commit, in their order.
    var announcements: [MessageAnnouncement] = []
}
