import { checkAdoptFrom, optionsOfPlan, savedOptions } from '../../../src/apply/managed-fields/options';

test('nobody takes over from himself, nor from nobody', () => {
  expect(() => checkAdoptFrom({ adoptFrom: ['kubectl', 'ours'] }, 'ours')).toThrow('--adopt-from: ours is the name that this app writes by; name the manager of before');
  expect(() => checkAdoptFrom({ adoptFrom: [''] }, 'ours')).toThrow('--adopt-from: got an empty name, expected that of a manager');
  expect(() => checkAdoptFrom({ adoptFrom: ['kubectl'] }, 'ours')).not.toThrow();
  expect(() => checkAdoptFrom({}, 'ours')).not.toThrow();
});

test('a plan keeps what was asked for, and nothing where nothing was', () => {
  expect(savedOptions({ adoptFrom: ['kubectl'], migrateManagedFields: true })).toEqual({ adoptFrom: ['kubectl'], migrateManagedFields: true });
  expect(savedOptions({ adoptFrom: [], migrateManagedFields: false })).toEqual({});
});

test('an apply of a plan does what the plan was made with, and refuses more', () => {
  const plan = { adoptFrom: ['kubectl', 'helm'], migrateManagedFields: true };
  expect(optionsOfPlan(plan, {})).toEqual(plan);
  expect(optionsOfPlan(plan, { adoptFrom: ['helm'], migrateManagedFields: true })).toEqual(plan);
  expect(() => optionsOfPlan({}, { adoptFrom: ['kubectl', 'helm'] })).toThrow('the plan takes nothing over from kubectl, helm: make a new plan with --adopt-from kubectl --adopt-from helm');
  expect(() => optionsOfPlan({}, { migrateManagedFields: true })).toThrow('make a new plan with --migrate-managed-fields');
});
