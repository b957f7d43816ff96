import { safeConcatName } from '../../../src/core/text/plain-text';
import { bindingName, subjectOf } from '../../../src/rancher/members/principal';
import { backingNamespaceOf } from '../../../src/rancher/project/project.kind';

describe('the name of a binding', () => {
  // made by Go's and Python's sha256 and base32 from the text that the webhook hashes
  test.each([
    ['prtb-', 'user1', 'admin-role', 'cluster-id:project-id', 'prtb-zzmk3ck7yl'],
    ['prtb-', 'local://u-ana', 'project-owner', 'c-m-harvdc05:payments', 'prtb-5sexckr3xs'],
    ['crtb-', 'okta_group://audit', 'cluster-member', 'c-m-harvdc05', 'crtb-agml4btuaz'],
  ])('%s of %s with %s in %s is that of the webhook', (prefix, subject, role, place, name) => {
    expect(bindingName(prefix, subject, role, place)).toBe(name);
  });

  test('is another one for another subject, role or place', () => {
    const names = [
      ['a', 'r', 'p'],
      ['b', 'r', 'p'],
      ['a', 's', 'p'],
      ['a', 'r', 'q'],
    ].map(([subject, role, place]) => bindingName('prtb-', subject, role, place));
    expect(new Set(names).size).toBe(4);
  });

  test('is made from the first field of the subject in the order of the webhook', () => {
    expect(subjectOf({ userPrincipalName: 'local://u', userName: 'u' })).toBe('local://u');
    expect(subjectOf({ userPrincipalName: '', userName: 'u' })).toBe('u');
    expect(subjectOf({ groupPrincipalName: 'g', groupName: 'h' })).toBe('g');
    expect(subjectOf({})).toBeUndefined();
  });
});

describe('the backing namespace', () => {
  test('begins with the management cluster ID from the versions that do so', () => {
    expect(backingNamespaceOf('c-m-harvdc05', 'payments', true)).toBe('c-m-harvdc05-payments');
    expect(backingNamespaceOf('c-m-harvdc05', 'payments', false)).toBe('payments');
  });

  test('of 63 characters is whole, of more ends in a hash', () => {
    const project = 'p'.repeat(50);
    expect(backingNamespaceOf('c-m-harvdc05', project, true)).toBe(`c-m-harvdc05-${project}`);
    expect(backingNamespaceOf('c-m-harvdc05', `${project}q`, true)).toBe(
      `c-m-harvdc05-${'p'.repeat(44)}-84f7a`,
    );
  });

  test('is shortened by one more if a hyphen would precede the hash', () => {
    const name = safeConcatName('a'.repeat(56), 'b'.repeat(20));
    expect(name).toBe(`${'a'.repeat(56)}-8d638d`);
    expect(name).toHaveLength(63);
  });
});
