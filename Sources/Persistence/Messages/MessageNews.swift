/// News of a store that other relays use as well.
package enum MessageNews: Hashable, Sendable {
    /// Another relay has committed these events. They precede those of all later answers.
    case announced(MessageAnnouncement)
    /// Events of other relays may have been lost. Users have to read their lists again.
    case missed
}
