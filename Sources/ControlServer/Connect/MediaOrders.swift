internal import Conference

/// What a room has its media engine do, one thing after the other: calls to the engine wait for its worker, and what comes later must not
/// overtake them.
struct MediaOrders {
    /// In the order in which the rules gave them.
    var commands: [MediaCommand] = []
    /// Somebody talks to the engine.
    var isBusy = false
    var waiting: [CheckedContinuation<Void, Never>] = []
}

extension Room {
    /// Carries it out as soon as what was ordered before is done.
    func order(_ command: MediaCommand) {
        orders.commands.append(command)
        guard orders.commands.count == 1 else { return }
        Task { await inOrder {} }
    }

    /// Runs `body` when all that was ordered before is done, and nothing else meanwhile.
    func inOrder<R>(_ body: () async -> R) async -> R {
        if orders.isBusy {
            await withCheckedContinuation { orders.waiting.append($0) }
        } else {
            orders.isBusy = true
        }
        await carryOutCommands()
        let result = await body()
        await carryOutCommands()
        if orders.waiting.isEmpty {
            orders.isBusy = false
        } else {
            orders.waiting.removeFirst().resume()
        }
        return result
    }

    private func carryOutCommands() async {
        while !orders.commands.isEmpty {
            let commands = orders.commands
            orders.commands = []
            for command in commands { await carryOut(command) }
        }
    }
}
