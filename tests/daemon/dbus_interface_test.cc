// SPDX-License-Identifier: BSD-2-Clause
// What the objects on the bus say of themselves is what systemd/*.xml says, and
// the table of figures has a row for each property.
#include <fstream>
#include <iterator>
#include <regex>

#include "daemon/figures.h"
#include "tests/daemon/dbus_fixture.h"

namespace perdix {
namespace {

// A method, signal or property, and what is said of it: arguments in their
// order, annotations. By kind and name.
using Members = std::map<std::string, std::vector<std::string>>;

std::string Attribute(const std::string& tag, const char* name) {
  std::smatch match;
  const std::regex attribute(std::string(" ") + name + "=\"([^\"]*)\"");
  return std::regex_search(tag, match, attribute) ? match[1].str() : "";
}

// The members of one interface of introspection data.
Members ReadInterface(const std::string& xml, const std::string& interface) {
  const std::string text =
      std::regex_replace(xml, std::regex("<!--[^]*?-->"), "");
  const size_t begin = text.find("<interface name=\"" + interface + "\"");
  if (begin == std::string::npos) return {};
  const std::string inside =
      text.substr(begin, text.find("</interface>", begin) - begin);
  Members members;
  std::vector<std::string>* member = nullptr;
  const std::regex tags("<(method|signal|property|arg|annotation)( [^>]*)>");
  for (std::sregex_iterator tag(inside.begin(), inside.end(), tags), end;
       tag != end; ++tag) {
    const std::string kind = (*tag)[1];
    const std::string attributes = (*tag)[2];
    const std::string name = Attribute(attributes, "name");
    // An annotation for the generator of adaptors, not of the interface.
    if (name == "org.freedesktop.DBus.Method.Async") continue;
    std::string said = name;
    for (const char* what : {"type", "access", "direction", "value"})
      said += " " + Attribute(attributes, what);
    if (kind == "arg" || kind == "annotation") {
      member->push_back(said);
    } else {
      member = &members[kind + " " + name];
      member->push_back(said);
    }
  }
  return members;
}

class DbusInterfaceTest : public DbusFixture {
 protected:
  Members OnTheBus(const std::string& path, const char* interface) {
    std::string xml;
    client_->Object(path)
        ->callMethod("Introspect")
        .onInterface("org.freedesktop.DBus.Introspectable")
        .storeResultsTo(xml);
    return ReadInterface(xml, interface);
  }
  static Members InTheFile(const char* interface) {
    std::ifstream file(std::string(PERDIX_INTERFACES "/") + interface + ".xml");
    return ReadInterface({std::istreambuf_iterator<char>(file), {}}, interface);
  }
  template <typename Whole>
  static size_t Properties(const Members& members,
                           std::span<const Figure<Whole>> figures) {
    size_t properties = 0;
    for (const auto& [name, said] : members)
      properties += name.starts_with("property ");
    for (const Figure<Whole>& figure : figures)
      EXPECT_TRUE(members.contains(std::string("property ") + figure.name))
          << figure.name;
    return properties;
  }
};

TEST_F(DbusInterfaceTest, TheDaemonsIsThatOfTheFile) {
  const Members members = InTheFile(kDaemonInterface);
  EXPECT_EQ(Properties(members, DaemonFigures()), DaemonFigures().size());
  EXPECT_EQ(OnTheBus(kDaemonPath, kDaemonInterface), members);
}

TEST_F(DbusInterfaceTest, ASessionsIsThatOfTheFile) {
  Player player(*this, "small_2x2.ivf");
  player.Finish();
  ASSERT_TRUE(WaitFor([&] { return ManagedObjects().size() == 1; }));
  const Members members = InTheFile(kSessionInterface);
  EXPECT_EQ(Properties(members, SessionFigures()), SessionFigures().size());
  EXPECT_EQ(
      OnTheBus(SessionPath(player.backend().session()), kSessionInterface),
      members);
}

}  // namespace
}  // namespace perdix
