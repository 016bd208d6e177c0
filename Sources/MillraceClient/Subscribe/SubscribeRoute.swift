/// Media sections of the relay's offer that carry a subscription.
struct SubscribeRoute: Sendable {
    let subscriber: Subscriber
    let audioMid: String?
    let videoMid: String?
}
