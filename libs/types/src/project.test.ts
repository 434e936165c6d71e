import { projectNameOf } from './project';

it('saves a project name in lower case', () => {
  expect(projectNameOf('My-App')).toBe('my-app');
});
