import { adoptHint, rewriteText } from '../../../src/apply/managed-fields/words';

test('what is done to managers is said on one line', () => {
  expect(rewriteText({ takenFrom: ['helm', 'kubectl'], migrated: [] })).toBe('taken over from helm, kubectl');
  expect(rewriteText({ takenFrom: ['helm'], migrated: ['rancher (a/v1)'] })).toBe('taken over from helm; managed fields migrated: rancher (a/v1)');
  expect(rewriteText({ takenFrom: [], migrated: [] })).toBe('');
});

test('the way out by a taking over is named for tools that apply, and for no controller or person', () => {
  const conflicts = ['kubectl', 'helm', 'kubectl', 'rancher', 'kubectl-edit'].map((manager) => ({ manager, field: '.spec' }));
  expect(adoptHint(conflicts)).toBe(', or --adopt-from helm --adopt-from kubectl, to make it ours alone');
  expect(adoptHint([{ manager: 'rancher', field: '.spec' }])).toBe('');
});
