/// A sealed message, with the encapsulated key from which its receiver derives the key of the message.
package struct HPKEMessage: Hashable, Sendable {
    package let encapsulatedKey: [UInt8]
    package let ciphertext: [UInt8]

    package init(encapsulatedKey: [UInt8], ciphertext: [UInt8]) {
        self.encapsulatedKey = encapsulatedKey
        self.ciphertext = ciphertext
    }
}
