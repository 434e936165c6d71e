import DefaultTheme from 'vitepress/theme-without-fonts';
import Layout from './layout.vue';
import ProductLink from './product-link.vue';

export default {
  extends: DefaultTheme,
  Layout,
  enhanceApp: ({ app }) => void app.component('ProductLink', ProductLink),
};
