/// What the rules make of a command: the answer, and what others are told once it is stored.
package struct MessagingOutcome: Hashable, Sendable {
    package var answer: MessagingAnswer
    package var deliveries: [MessageDelivery]

    package init(answer: MessagingAnswer, deliveries: [MessageDelivery] = []) {
        self.answer = answer
        self.deliveries = deliveries
    }
}
