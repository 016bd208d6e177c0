import ControlServer
import Persistence

extension RelayConfiguration {
    /// Returns the configuration of the conversation store in a directory.
    func storage(in directory: String) -> StorageConfiguration {
        var storage = StorageConfiguration(directory: directory)
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
