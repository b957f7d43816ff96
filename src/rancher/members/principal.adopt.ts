import { ANNOTATION_PRINCIPAL_DISPLAY_NAME, LOCAL_SCHEME, localPrincipal } from './binding.kind';
import { AuthProvider, bindingName } from './principal';
import { parsePrincipal } from './principal.check';
import { FoundObject, StaticCall, call, member } from '../../core/draft/draft';
import { Surroundings, referOn, textAt } from '../../core/draft/inverse';
import { Manifest, annotationsOf } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';

const { MANAGEMENT: group } = GROUPS;

/** The kind of a user of Rancher. */
export const USER = `${group}/User`;

/** The subject of a binding: a principal ID, and what it is. */
export interface FoundSubject {
  readonly kind: 'user' | 'group';
  readonly principalId: string;
  /** Whether it is the name of a group. */
  readonly isName?: true;
}

/** The subject of a binding; undefined for one that constructs do not write. */
export function subjectIn(manifest: Manifest): FoundSubject | undefined {
  const userName = textAt(manifest, 'userName');
  const user = textAt(manifest, 'userPrincipalName') ?? (userName === undefined ? undefined : localPrincipal(userName));
  if (user !== undefined) { return { kind: 'user', principalId: user }; }
  const principalId = textAt(manifest, 'groupPrincipalName');
  if (principalId !== undefined) { return { kind: 'group', principalId }; }
  const groupName = textAt(manifest, 'groupName');
  return groupName === undefined ? undefined : { kind: 'group', principalId: groupName, isName: true };
}

/** The principal of a binding as a program writes it. */
export function principalOf(object: FoundObject, { kind, principalId, isName }: FoundSubject, around: Surroundings): StaticCall {
  if (isName) { return call('Principal', 'groupName', principalId); }
  const displayName = annotationsOf(object.manifest)[ANNOTATION_PRINCIPAL_DISPLAY_NAME];
  const options = typeof displayName === 'string' ? [{ displayName }] : [];
  const { scheme = '', id = '', provider } = parsePrincipal(principalId) ?? {};
  if (scheme === LOCAL_SCHEME && kind === 'user' && options.length === 0 && around.find({ target: object.target, group, kind: 'User', name: id })) {
    return call('Principal', 'localUser', referOn(object.target, USER, id));
  }
  const [name] = Object.entries(AuthProvider).find(([, value]) => value === provider?.id) ?? [];
  if (name !== undefined && scheme === `${provider!.id}_${kind}`) {
    return call('Principal', `${kind}Of`, member('AuthProvider', name), id, ...options);
  }
  const [, of] = GITHUB.find(([prefix]) => scheme === `${AuthProvider.GITHUB}_${prefix}`) ?? [];
  return of !== undefined && /^[1-9]\d{0,14}$/.test(id) ? call('Principal', of, Number(id), ...options) : call('Principal', kind, principalId, ...options);
}

const GITHUB: readonly (readonly [scope: string, method: string])[] = [['org', 'githubOrganization'], ['team', 'githubTeam']];

/** Whether a binding has the name that constructs derive for its subject and role. */
export function hasDerivedName({ metadata }: Manifest, prefix: string, { principalId }: FoundSubject, role: string, place?: string): boolean {
  return metadata.name === bindingName(prefix, principalId, role, place);
}
