/** How many nodes can use a volume at a time. */
export enum VolumeAccessMode {
  /** One node: a VM with such a volume cannot migrate while it runs. */
  READ_WRITE_ONCE = 'ReadWriteOnce',
  /** Several nodes, which live migration requires. */
  READ_WRITE_MANY = 'ReadWriteMany',
  /** One pod: a VM with such a volume cannot migrate while it runs. */
  READ_WRITE_ONCE_POD = 'ReadWriteOncePod',
  /** Several nodes, read-only. */
  READ_ONLY_MANY = 'ReadOnlyMany',
}

/** The form of a volume in a VM or container. */
export enum VolumeMode {
  /** A block device, as the disks of VMs are. */
  BLOCK = 'Block',
  /** A file system, which holds the disk as a file. */
  FILESYSTEM = 'Filesystem',
}

/** The cipher of encrypted volumes. */
export enum EncryptionCipher {
  /** AES in XTS mode, with sector numbers of 32 bits. */
  AES_XTS_PLAIN = 'aes-xts-plain',
  /** AES in XTS mode, with sector numbers of 64 bits. */
  AES_XTS_PLAIN64 = 'aes-xts-plain64',
  /** AES in CBC mode, with sector numbers of 32 bits. */
  AES_CBC_PLAIN = 'aes-cbc-plain',
  /** AES in CBC mode, with sector numbers of 64 bits. */
  AES_CBC_PLAIN64 = 'aes-cbc-plain64',
  /** AES in CBC mode, with encrypted sector numbers. */
  AES_CBC_ESSIV_SHA256 = 'aes-cbc-essiv:sha256',
}

/** The hash that derives the key of encrypted volumes. */
export enum EncryptionHash {
  /** SHA-2 of 256 bits. */
  SHA256 = 'sha256',
  /** SHA-2 of 384 bits. */
  SHA384 = 'sha384',
  /** SHA-2 of 512 bits. */
  SHA512 = 'sha512',
}

/** The function that derives the key of encrypted volumes from the passphrase. */
export enum EncryptionKeyDerivation {
  /** Argon2i. */
  ARGON2I = 'argon2i',
  /** Argon2id. */
  ARGON2ID = 'argon2id',
  /** PBKDF2. */
  PBKDF2 = 'pbkdf2',
}

/** How CDI clones volumes. */
export enum CdiCloneStrategy {
  /** Copies the data in the host. */
  COPY = 'copy',
  /** Creates a snapshot, and the volume from it. Requires `volumeSnapshotClassName`. */
  SNAPSHOT = 'snapshot',
  /** The CSI driver clones the volume. */
  CSI_CLONE = 'csi-clone',
}
