import ControlServer
import Persistence

extension RelayConfiguration {
    /// Returns the configuration of the conversation store at a location.
    func storage(at location: StorageConfiguration.Location) -> StorageConfiguration {
        var storage = StorageConfiguration(location)
        storage.maximumMegabytes = storageMaximumMegabytes
        storage.checksAtStart = storageCheckAtStart
        return storage
    }

    /// Configuration of the hub of conversations.
    var messages: MessageHubConfiguration {
        var messages = MessageHubConfiguration()
        messages.limits.userMessagesPerSecond = limitUserMessagesPerSecond
        messages.limits.userRequestsPerSecond = limitUserRequestsPerSecond
        messages.limits.userEntriesPerSecond = limitUserEntriesPerSecond
        messages.limits.groupMembers = limitGroupMembers
        messages.limits.groupsPerUser = limitGroupsPerUser
        messages.loginsPerUser = limitLoginsPerUser
        messages.unsentEvents = limitUnsentEvents
        return messages
    }
}
