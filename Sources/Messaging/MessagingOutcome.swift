/// What the rules make of a command: the answer, and what others are told once it is stored.
package struct MessagingOutcome: Hashable, Sendable {
    package var answer: MessagingAnswer
    package var deliveries: [MessageDelivery]
    /// Users' entries that were changed, and users that were told of a group; at least 1.
    package var cost: Int

    package init(answer: MessagingAnswer, deliveries: [MessageDelivery] = [], cost: Int = 1) {
        self.answer = answer
        self.deliveries = deliveries
        self.cost = cost
    }
}
