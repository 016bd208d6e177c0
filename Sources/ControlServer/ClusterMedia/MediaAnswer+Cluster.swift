import SessionMedia

extension MediaAnswer {
    /// Returns whether this is an answer to the order, as a relay of another version may not give.
    func fits(_ order: MediaOrder) -> Bool {
        switch (order, self) {
        case (.openPublisher, .publisher), (.openSubscriber, .subscriber), (.openVisitor, .visitor),
            (.prepareRestart, .credentials):
            true
        case (.updatePublisher(let peer, _, _), .publisher(let answered, _)): peer == answered
        case (.openPublisher, _), (.openSubscriber, _), (.openVisitor, _), (.prepareRestart, _), (.updatePublisher, _):
            false
        case (_, .done): true
        default: false
        }
    }
}
