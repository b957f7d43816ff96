import { Subject } from './matrix';
import { annotationsOf } from '../../model/checks/metadata-maps';
import { isLate } from '../../model/late-token';
import { Manifest } from '../../model/manifest';
import { GROUPS } from '../../model/names';
import { ANNOTATION_PRINCIPAL_DISPLAY_NAME } from '../../model/tenancy/names';
import { localPrincipal } from '../../model/tenancy/principals';
import { World } from '../../rules/world';

const LOCAL = localPrincipal('');

/** Everybody who may log in to a cluster. */
export const EVERYBODY: Subject = { kind: 'everybody', principal: 'system:authenticated', name: 'everybody who is logged in' };

/**
 * The people and groups that bindings name, with the names that Users have.
 */
export class Subjects {
  private readonly users: ReadonlyMap<string, Manifest>;

  constructor(world: World) {
    this.users = new Map(world.ofKind(GROUPS.MANAGEMENT, 'User').map(({ manifest }) => [manifest.metadata.name, manifest]));
  }

  /** Whom a binding is for; undefined where it names nobody. */
  public of(binding: Manifest): Subject | undefined {
    const { userPrincipalName, userName, groupPrincipalName, groupName, serviceAccount } = binding;
    const shown = text(annotationsOf(binding)[ANNOTATION_PRINCIPAL_DISPLAY_NAME]);
    const user = text(userName);
    const principal = text(userPrincipalName) ?? (user && localPrincipal(user));
    if (principal) { return { kind: 'user', principal, name: shown ?? this.nameOf(principal) }; }
    const group = text(groupPrincipalName) ?? text(groupName);
    if (group) { return { kind: 'group', principal: group, name: shown ?? shortOf(group) }; }
    const account = text(serviceAccount);
    return account ? { kind: 'service account', principal: account, name: account } : undefined;
  }

  private nameOf(principal: string): string {
    const user = principal.startsWith(LOCAL) ? this.users.get(principal.slice(LOCAL.length)) : undefined;
    return text(user?.displayName) ?? text(user?.username) ?? shortOf(principal);
  }
}

function shortOf(principal: string): string {
  if (isLate(principal)) { return 'known only to the live cluster'; }
  const start = principal.indexOf('://');
  return start < 0 ? principal : principal.slice(start + '://'.length);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
