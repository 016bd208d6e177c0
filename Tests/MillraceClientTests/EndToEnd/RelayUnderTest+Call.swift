import MillraceClient
import Signaling

extension RelayUnderTest {
    /// Two participants: the first publishes a test frame with audio, the second subscribes to it.
    struct Call {
        let ada: Session
        let bob: Session
        let publisher: Publisher
        let stream: StreamID
        /// Source of the media; it must be kept as long as frames are expected.
        let source: TestSource
        let subscriber: Subscriber
    }

    /// - Parameter url: address by which the first participant reaches the relay; nil: the relay's own address.
    func call(url: String? = nil) async throws -> Call {
        let ada = try await join("Ada", canHost: true, url: url)
        let bob = try await join("Bob")
        let publisher = Publisher(TestSource.settings)
        let stream = try await ada.publish(publisher)
        let source = TestSource(publisher)
        let subscriber = try await SessionMediaTests.subscribe(bob, to: stream)
        return Call(
            ada: ada, bob: bob, publisher: publisher, stream: stream, source: source, subscriber: subscriber)
    }
}
