import { GUEST_AGENT_PACKAGE, GUEST_AGENT_SERVICE } from './cloud-init.check';
import { defined, filledList } from '../../core/text/values';
import { SecretValue } from '../../core/value/secret-value';

/** A command that cloud-init runs, as root. */
export class CloudInitCommand {
  /**
   * A shell line, with variables, pipes and quotes.
   *
   * @param line the line, e.g. `curl -sf https://example.com/setup.sh | sh -s`; may contain late values
   */
  public static shell(line: string): CloudInitCommand {
    return new CloudInitCommand(line);
  }

  /**
   * A program with its arguments, without a shell.
   *
   * @param program the program and its arguments, e.g. `'systemctl', 'restart', 'sshd'`
   */
  public static exec(...program: string[]): CloudInitCommand {
    return new CloudInitCommand(program);
  }

  declare private readonly nominal: true;

  private constructor(/** @internal */ public readonly _command: string | readonly string[]) {}
}

/** Options of a file that cloud-init writes. */
export interface CloudInitFileOptions {
  /** The owner, as `user:group`. @default - `root:root` */
  readonly owner?: string;
  /** The permissions: four octal digits, e.g. `0600`. @default - `0644` */
  readonly permissions?: string;
  /** Whether the text is appended to an existing file. @default false */
  readonly append?: boolean;
  /**
   * Whether the file is written last, after packages and users: for owners that are created then.
   * @default false
   */
  readonly defer?: boolean;
}

/** The fields of a file in cloud-init. */
interface CloudInitFileFields {
  readonly [key: string]: unknown;
}

/** A file that cloud-init writes at the first boot of a machine. */
export class CloudInitFile {
  /**
   * A file from text, which may contain late values.
   *
   * @param path the absolute path
   */
  public static text(
    path: string,
    text: string,
    options: CloudInitFileOptions = {},
  ): CloudInitFile {
    return new CloudInitFile(path, () => ({ content: text }), options);
  }

  /**
   * A file with a secret. The output contains the secret in plain text: anyone who can read the
   * machine configuration or the VM can read it.
   *
   * @param path the absolute path
   */
  public static secret(
    path: string,
    secret: SecretValue,
    options: CloudInitFileOptions = {},
  ): CloudInitFile {
    return new CloudInitFile(path, () => ({ content: secret._unwrap() }), {
      permissions: '0600',
      ...options,
    });
  }

  /**
   * A file from base64, e.g. `LateValue.base64`: for binary files, and texts that must be kept byte
   * for byte.
   *
   * @param path the absolute path
   */
  public static base64(
    path: string,
    base64: string,
    options: CloudInitFileOptions = {},
  ): CloudInitFile {
    return new CloudInitFile(path, () => ({ encoding: 'b64', content: base64 }), options);
  }

  private constructor(
    /** @internal */ public readonly _path: string,
    private readonly content: () => CloudInitFileFields,
    /** @internal */ public readonly _options: CloudInitFileOptions,
  ) {}

  /** @internal */
  public _render(): CloudInitFileFields {
    const { owner, permissions, append, defer } = this._options;
    return fileFields({
      ...this.content(),
      path: this._path,
      owner,
      permissions,
      ...(append ? { append } : {}),
      ...(defer ? { defer } : {}),
    });
  }
}

const ORDER = ['encoding', 'content', 'owner', 'path', 'permissions', 'append', 'defer'];

/** The fields of a file in the order of Harvester's own scripts, without undefined ones. */
export function fileFields(fields: CloudInitFileFields): CloudInitFileFields {
  return Object.fromEntries(
    ORDER.filter((key) => fields[key] !== undefined).map((key) => [key, fields[key]]),
  );
}

/** A user that cloud-init creates. */
export interface CloudInitUser {
  /** The login name. */
  readonly name: string;
  /** Public keys in OpenSSH format with which the user can log in. @default - no keys */
  readonly sshAuthorizedKeys?: string[];
  /** Rules for sudo, e.g. `ALL=(ALL) NOPASSWD:ALL`. @default - no sudo */
  readonly sudo?: string[];
  /** Additional groups of the user. @default - no additional groups */
  readonly groups?: string[];
  /** The login shell. @default - the default of the system */
  readonly shell?: string;
  /**
   * The hash of the password by crypt(3), e.g. `$6$…` from `mkpasswd -m sha-512`, never the
   * password.
   * @default - no login by password
   */
  readonly passwordHash?: SecretValue;
  /** The full name of the user. @default - not set */
  readonly gecos?: string;
  /** The home directory. @default - `/home/<name>` */
  readonly homeDirectory?: string;
  /** The user ID. @default - the next free one */
  readonly uid?: number;
  /** Whether it is a system user, without a home directory. @default false */
  readonly system?: boolean;
}

/** The fields of a user in cloud-init. */
export function userFields(user: CloudInitUser): { readonly [key: string]: unknown } {
  const fields = {
    name: user.name,
    gecos: user.gecos,
    uid: user.uid,
    system: user.system || undefined,
    homedir: user.homeDirectory,
    shell: user.shell,
    groups: filledList(user.groups),
    sudo: filledList(user.sudo),
    // otherwise cloud-init locks the password that it sets
    lock_passwd: user.passwordHash ? false : undefined,
    passwd: user.passwordHash?._unwrap(),
    ssh_authorized_keys: filledList(user.sshAuthorizedKeys),
  };
  return defined(fields);
}

/** Options of a guest agent that is installed. */
export interface GuestAgentOptions {
  /**
   * Whether the package lists are updated first. The machine must reach a mirror: without internet
   * access, the first boot waits until the retries are exhausted.
   * @default true
   */
  readonly packageUpdate?: boolean;
}

/**
 * The source of qemu-guest-agent, which reports the addresses of a machine to Harvester. Rancher
 * replaces a machine that reports none for ten minutes.
 */
export class GuestAgent {
  /**
   * Installs it from the distribution's packages and starts it, as the UIs of Rancher and Harvester
   * do.
   *
   * Not for immutable systems (SLE Micro, Elemental, Talos), which cannot install packages: use an
   * image that contains it.
   */
  public static install(options: GuestAgentOptions = {}): GuestAgent {
    return new GuestAgent({
      ...((options.packageUpdate ?? true) ? { package_update: true } : {}),
      packages: [GUEST_AGENT_PACKAGE],
      runcmd: [['systemctl', 'enable', '--now', GUEST_AGENT_SERVICE]],
    });
  }

  /**
   * It is in the image and running: nothing is installed. For air-gapped and immutable systems. A
   * comment in the user data informs readers and the rule that checks for the agent.
   */
  public static preinstalled(): GuestAgent {
    return new GuestAgent({}, `# ${GUEST_AGENT_PACKAGE} is in the image\n`);
  }

  /** Not specified. @internal */
  public static _unsaid(): GuestAgent {
    return new GuestAgent({});
  }

  declare private readonly nominal: true;

  private constructor(
    /** @internal */ public readonly _fields: { readonly [key: string]: unknown },
    /** A comment line, or empty. @internal */ public readonly _comment: string = '',
  ) {}
}

/** The setup of a machine at its first boot. */
export interface CloudInitProps {
  /** The source of qemu-guest-agent. @default GuestAgent.install() */
  readonly guestAgent?: GuestAgent;
  /** Packages of the distribution to install. @default - only the guest agent */
  readonly packages?: string[];
  /** Whether the package lists are updated first. @default - decided by guestAgent */
  readonly packageUpdate?: boolean;
  /** Whether all packages are upgraded. @default false */
  readonly packageUpgrade?: boolean;
  /** Files to write. @default - no files */
  readonly files?: CloudInitFile[];
  /**
   * Commands that run at the end of the first boot, in order, after the one that starts the guest
   * agent.
   * @default - no commands
   */
  readonly runCommands?: CloudInitCommand[];
  /** Commands that run early in every boot, before the network is up. @default - no commands */
  readonly bootCommands?: CloudInitCommand[];
  /** Public keys in OpenSSH format for the default user of the image. @default - no keys */
  readonly sshAuthorizedKeys?: string[];
  /** Additional users. @default - only the default user of the image */
  readonly users?: CloudInitUser[];
  /**
   * Whether the default user of the image (`ubuntu`, `opensuse` …), which gets Rancher's key, is
   * kept if `users` is set.
   * @default true
   */
  readonly defaultUser?: boolean;
  /** Whether SSH accepts passwords. @default - the default of the image */
  readonly sshPasswordAuth?: boolean;
  /**
   * The host name of the machine. Not for pools: Rancher names their machines.
   * @default - the name of the virtual machine
   */
  readonly hostname?: string;
  /** The time zone, e.g. `Europe/Vienna`. @default - the default of the image */
  readonly timezone?: string;
  /** The NTP servers. @default - the default of the image */
  readonly ntpServers?: string[];
  /** PEM certificates that the machine trusts, one per item. @default - only those of the image */
  readonly trustedCertificates?: string[];
  /** Partitions or mount points that expand with their disk. @default - `/` */
  readonly growPartitions?: string[];
  /**
   * Other keys of cloud-init by their names in its documentation, e.g. `mounts` or `fs_setup`.
   * @default - no other keys
   */
  readonly other?: { readonly [key: string]: any };
}
