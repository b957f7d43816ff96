import { CloudInitCommand } from './cloud-init-command';
import { CloudInitFile } from './cloud-init-file';
import { CloudInitUser } from './cloud-init-user';
import { GuestAgent } from './guest-agent';

/**
 * What a machine does at its first start.
 */
export interface CloudInitProps {
  /** How the machine gets qemu-guest-agent. @default GuestAgent.install() */
  readonly guestAgent?: GuestAgent;
  /** Packages of the distribution. @default - none but the guest agent */
  readonly packages?: string[];
  /** Whether the lists of packages are fetched before. @default - as guestAgent says */
  readonly packageUpdate?: boolean;
  /** Whether all packages are brought up to date. @default false */
  readonly packageUpgrade?: boolean;
  /** Files. @default - none */
  readonly files?: CloudInitFile[];
  /** Commands at the end of the first start, in this order, after the one that starts the guest agent. @default - none */
  readonly runCommands?: CloudInitCommand[];
  /** Commands early in every start, before the network is there. @default - none */
  readonly bootCommands?: CloudInitCommand[];

  /** Public keys in OpenSSH's format for the image's own user. @default - none */
  readonly sshAuthorizedKeys?: string[];
  /** Users beside the image's own. @default - none */
  readonly users?: CloudInitUser[];
  /** Whether the image's own user (`ubuntu`, `opensuse` …) is kept when `users` are given. Rancher's key goes to it. @default true */
  readonly defaultUser?: boolean;
  /** Whether ssh takes passwords. @default - as the image has it */
  readonly sshPasswordAuth?: boolean;

  /** The name of the machine. Not for pools: Rancher names their machines. @default - the name of the virtual machine */
  readonly hostname?: string;
  /** The time zone, e.g. `Europe/Vienna`. @default - as the image has it */
  readonly timezone?: string;
  /** Servers of the time. @default - as the image has it */
  readonly ntpServers?: string[];
  /** Certificates in PEM form that the machine trusts, one each. @default - none but the image's own */
  readonly caCertificates?: string[];
  /** Partitions or mount points that grow with their disk. @default - `/` */
  readonly growPartitions?: string[];
  /** Other keys of cloud-init, as its documentation names them, e.g. `mounts` or `fs_setup`. @default - none */
  readonly other?: { readonly [key: string]: any };
}
