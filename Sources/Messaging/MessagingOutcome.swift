/// Result of a command: its answer, and the events that are sent after the commit.
package struct MessagingOutcome: Hashable, Sendable {
    package var answer: MessagingAnswer
    package var deliveries: [MessageDelivery]
    /// Number of changed entries, plus users who were notified of a group change; at least 1.
    package var cost: Int

    package init(answer: MessagingAnswer, deliveries: [MessageDelivery] = [], cost: Int = 1) {
        self.answer = answer
        self.deliveries = deliveries
        self.cost = cost
    }

    /// Returns the app of the users that the events are for.
    package func app(of command: MessagingCommand) -> String {
        if case .swept(_, let app) = answer { app } else { command.user.app }
    }
}
